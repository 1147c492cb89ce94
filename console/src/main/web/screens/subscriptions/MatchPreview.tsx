import { useMatch, type MatchAnswer } from '~/api/subscriptions'
import { Section } from '~/components/Page'
import { Loaded } from '~/components/states'
import { Time } from '~/components/Time'
import { count, percent } from '~/lib/format'
import { useSettled } from './settled'

/** Which of the newest events the filter would want, before it is saved. */
export function MatchPreview({ filter }: { filter: unknown }) {
  const asked = useSettled(JSON.stringify(filter ?? {}), 400)
  const match = useMatch(asked)
  return (
    <Section title="What it would match">
      <div aria-live="polite" aria-busy={match.isFetching}>
        <Loaded query={match} what="Looking at the newest events">
          {(answer) => <Matched answer={answer} />}
        </Loaded>
      </div>
    </Section>
  )
}

function Matched({ answer }: { answer: MatchAnswer }) {
  const { looked = 0, matched = 0, oldestAt, types = [], sample = [] } = answer
  if (looked === 0) {
    return <p className="muted">The log has no events yet to try the filter on.</p>
  }
  return (
    <div className="stack">
      <p>
        <strong>{count(matched)}</strong> of the newest {count(looked)} events ({percent(matched / looked)}), recorded since <Time at={oldestAt} show="both" />.
      </p>
      {types.length > 0 && (
        <div>
          <h3>By type</h3>
          <ul className="subscriptions-bars">
            {types.map((one) => (
              <li key={one.type}>
                <span className="cut" data-tip={one.type}>
                  {one.type}
                </span>
                <meter min={0} max={matched} value={one.count ?? 0} aria-label={`Share of ${one.type ?? ''}`} />
                <span className="number">{count(one.count ?? 0)}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {sample.length > 0 && (
        <div>
          <h3>The newest of them</h3>
          <ul className="subscriptions-sample">
            {sample.slice(0, 8).map((event) => (
              <li key={event.id}>
                <span className="cut" data-tip={event.type}>{event.type}</span>
                <span className="cut muted" data-tip={event.source}>{event.source}</span>
                <Time at={event.recordedAt} show="age" focusable={false} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}
