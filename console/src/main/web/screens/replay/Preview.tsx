import type { ReplayPreview } from '~/api/replays'
import { Button } from '~/components/Button'
import { Loaded } from '~/components/states'
import { Shape } from '~/components/Status'
import { Time } from '~/components/Time'
import { count, percent } from '~/lib/format'
import { skippedBecause, sum } from './words'

interface PreviewQuery {
  data: ReplayPreview | undefined
  error: Error | null
  dataUpdatedAt: number
  isFetching: boolean
  refetch: () => unknown
}

/** What would be sent: counted exactly, by the statement that freezes the set when it starts. */
export function Preview({ query, brief = false }: { query: PreviewQuery; brief?: boolean }) {
  return (
    <Loaded query={query} what="Counting what would be sent">
      {(preview) => {
        const all = preview.count ?? 0
        const skipped = Object.entries(preview.skipped ?? {}).filter(([, some]) => some > 0)
        return (
          <div className="preview stack" aria-live="polite">
            <div className="row">
              <p className="preview-count">
                <strong>{count(all)}</strong> {all === 1 ? 'event' : 'events'} would be sent
              </p>
              <span className="muted">
                counted at <Time at={new Date(query.dataUpdatedAt).toISOString()} />
              </span>
              <Button look="quiet" why={query.isFetching ? 'It is being counted.' : undefined} onClick={() => void query.refetch()}>
                Count again
              </Button>
            </div>
            <Warnings of={preview} />
            {skipped.length > 0 && (
              <ul className="preview-skipped">
                {skipped.map(([reason, some]) => (
                  <li key={reason}>
                    {count(some)} left out: {skippedBecause(reason)}
                  </li>
                ))}
              </ul>
            )}
            {!brief && all > 0 && (
              <div className="breakdowns">
                <Breakdown name="By subscription" of={preview.subscribers} />
                <Breakdown name="By type" of={preview.types} />
                <Breakdown
                  name="By age"
                  sorted={false}
                  of={{
                    'last hour': preview.ages?.lastHour ?? 0,
                    'last day': preview.ages?.lastDay ?? 0,
                    'last week': preview.ages?.lastWeek ?? 0,
                    older: preview.ages?.older ?? 0,
                  }}
                />
              </div>
            )}
          </div>
        )
      }}
    </Loaded>
  )
}

export function Warnings({ of }: { of: ReplayPreview }) {
  return (of.warnings ?? []).map((warning, index) => (
    <div key={index} className="note note-warn">
      <Shape tone="warn" />
      <p className="note-body wrap">{warning.text}</p>
    </div>
  ))
}

/** More than these are told in one line: the count is exact all the same. */
const shownAtMost = 8

function Breakdown({ name, of = {}, sorted = true }: { name: string; of: Record<string, number> | undefined; sorted?: boolean }) {
  const rows = Object.entries(of)
  if (sorted) {
    rows.sort(([, one], [, other]) => other - one)
  }
  const all = sum(of)
  const rest = rows.slice(shownAtMost)
  return (
    <div>
      <h3>{name}</h3>
      <table className="breakdown">
        <tbody>
          {rows.slice(0, shownAtMost).map(([what, some]) => (
            <tr key={what}>
              <th scope="row" className="wrap">
                {what}
              </th>
              <td className="number">{count(some)}</td>
              <td className="number muted">{all === 0 ? '' : percent(some / all)}</td>
            </tr>
          ))}
          {rest.length > 0 && (
            <tr>
              <th scope="row">{count(rest.length)} others</th>
              <td className="number">{count(sum(Object.fromEntries(rest)))}</td>
              <td />
            </tr>
          )}
        </tbody>
      </table>
    </div>
  )
}
