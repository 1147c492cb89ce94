import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useReplayPreview } from '~/api/replays'
import { Button } from '~/components/Button'
import { Page } from '~/components/Page'
import { Permitted } from '~/components/states'
import { useAskedAt } from '~/lib/clock'
import { ConfirmStep } from './ConfirmStep'
import { planFaults, scopeDocument, type PlanSearch } from './plan'
import { PlanStep } from './PlanStep'
import { Preview } from './Preview'
import { ScopeStep } from './ScopeStep'
import './replay.css'

const route = getRouteApi('/replay/new')

const steps = [
  { id: 'scope', name: 'What is sent' },
  { id: 'plan', name: 'How it is sent' },
  { id: 'confirm', name: 'Look again, and start' },
] as const

type StepId = (typeof steps)[number]['id']

export function NewReplayScreen() {
  return (
    <Page title="New replay" about={<Link to="/replay">All replays</Link>}>
      <Permitted action="replay.start">
        <Wizard />
      </Permitted>
    </Page>
  )
}

/** The value once it has not changed for half a second: a count is not asked for with every key that is pressed. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(value)
    }, 500)
    return () => {
      clearTimeout(timer)
    }
  }, [value])
  return settled
}

function Wizard() {
  const plan = route.useSearch()
  const navigate = useNavigate()
  const { step = 'scope' } = plan
  const asked = useAskedAt(`${plan.scope ?? ''} ${plan.q ?? ''}`)
  const document = useMemo(() => scopeDocument(plan, asked), [plan, asked])
  const settled = useSettled(document)
  const preview = useReplayPreview(settled)
  const heading = useRef<HTMLHeadingElement>(null)
  const opened = useRef(step)

  // Who goes on by keyboard or by ear stands at the new step's beginning.
  useEffect(() => {
    if (opened.current !== step) {
      opened.current = step
      heading.current?.focus()
    }
  }, [step])

  const change = (changes: PlanSearch) => {
    void navigate({ to: '/replay/new', search: { ...plan, ...changes }, replace: true })
  }
  const go = (to: StepId) => {
    void navigate({ to: '/replay/new', search: { ...plan, step: to === 'scope' ? undefined : to } })
  }

  const at = steps.findIndex((one) => one.id === step)
  const noScope =
    document === undefined
      ? 'Say first what is to be sent.'
      : settled !== document
        ? 'It is still being counted.'
      : preview.data === undefined
        ? preview.error === null
          ? 'It is still being counted.'
          : 'What was asked for cannot be sent: see above.'
        : (preview.data.count ?? 0) === 0
          ? 'Nothing matches.'
          : undefined
  const why = step === 'plan' && Object.keys(planFaults(plan)).length > 0 ? 'Something in the plan is wrong: see above.' : noScope
  const next = steps[at + 1]
  const before = steps[at - 1]

  return (
    <div className="wizard">
      <ol className="wizard-steps" aria-label="Steps">
        {steps.map((one, index) => (
          <li key={one.id} aria-current={one.id === step ? 'step' : undefined} className={`wizard-step${index < at ? ' wizard-done' : ''}`}>
            <span className="wizard-number" aria-hidden="true">
              {index < at ? '✓' : index + 1}
            </span>
            {one.name}
          </li>
        ))}
      </ol>
      <section className="panel stack" aria-labelledby="wizard-heading">
        <h2 id="wizard-heading" ref={heading} tabIndex={-1}>
          {steps[at]?.name}
        </h2>
        {step === 'scope' && <ScopeStep plan={plan} change={change} />}
        {step === 'plan' && <PlanStep plan={plan} change={change} />}
        {step !== 'confirm' && document !== undefined && <Preview query={preview} brief={step === 'plan'} />}
        {step === 'confirm' && <ConfirmStep plan={plan} document={document} preview={preview} />}
        {step !== 'confirm' && (
          <div className="row wizard-feet">
            {before !== undefined && (
              <Button onClick={() => { go(before.id) }}>Back</Button>
            )}
            {next !== undefined && (
              <Button look="primary" why={why} onClick={() => { go(next.id) }}>
                Next: {next.name.toLowerCase()}
              </Button>
            )}
          </div>
        )}
        {step === 'confirm' && (
          <div className="row wizard-feet">
            <Button onClick={() => { go('plan') }}>Back</Button>
          </div>
        )}
      </section>
    </div>
  )
}
