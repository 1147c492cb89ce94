import type { UseQueryResult } from '@tanstack/react-query'
import type { CheckAnswer } from '~/api/subscriptions'
import { Section } from '~/components/Page'
import { Loading, ProblemNote } from '~/components/states'
import { Shape } from '~/components/Status'

interface CheckPanelProps {
  check: UseQueryResult<CheckAnswer>
  /** Whether what is typed is what was asked about. */
  settled: boolean
  /** What is missing before the hub can be asked. */
  waitsFor: string | undefined
  isNew: boolean
}

/** Whether the hub would take it as it is, and what it would change. */
export function CheckPanel({ check, settled, waitsFor, isNew }: CheckPanelProps) {
  const { data, error, isFetching } = check
  const asking = !settled || isFetching
  return (
    <Section title="Check">
      <div aria-live="polite" aria-busy={asking} className="stack">
        {waitsFor !== undefined ? (
          <p className="muted">The hub checks it as you type; it waits for {waitsFor}.</p>
        ) : error !== null && !asking ? (
          <ProblemNote error={error} again={() => void check.refetch()} />
        ) : data === undefined ? (
          <Loading what="The hub checks it" />
        ) : (
          <Answer answer={data} isNew={isNew} />
        )}
      </div>
    </Section>
  )
}

function Answer({ answer, isNew }: { answer: CheckAnswer; isNew: boolean }) {
  const violations = answer.violations ?? []
  if (answer.valid === true) {
    return (
      <>
        <p className="row tone-ok">
          <Shape tone="ok" />
          The hub would take it.
        </p>
        {!isNew && (
          <p className="wrap">
            {(answer.changed?.length ?? 0) === 0 ? 'It is as it was: nothing would change.' : 'It would change: '}
            {answer.changed?.map((field, index) => (
              <span key={field}>
                {index > 0 && ', '}
                <code>{field}</code>
              </span>
            ))}
          </p>
        )}
      </>
    )
  }
  return (
    <>
      <p className="row tone-bad">
        <Shape tone="bad" />
        The hub would not take it:
      </p>
      <ul className="subscriptions-points">
        {violations.map((violation, index) => (
          <li key={index} className="wrap">
            {violation.field !== undefined && violation.field !== '' && (
              <>
                <code>{violation.field}</code>{' '}
              </>
            )}
            {violation.rule}
          </li>
        ))}
      </ul>
    </>
  )
}
