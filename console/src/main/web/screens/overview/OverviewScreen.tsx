import { Link } from '@tanstack/react-router'
import { useOverview, type Overview } from '~/api/overview'
import { Page, Tile, Tiles } from '~/components/Page'
import { SubscriptionLink } from '~/components/ScreenLink'
import { Loaded } from '~/components/states'
import { Shape } from '~/components/Status'
import { Time } from '~/components/Time'
import { count, duration, durationMillis, rate, shortCount } from '~/lib/format'
import { Alerts } from './Alerts'
import { Hubs } from './Hubs'
import { LastHour } from './LastHour'
import { WorstSubscriptions } from './WorstSubscriptions'
import './overview.css'

export function OverviewScreen() {
  const overview = useOverview()
  const at = overview.data?.readAt
  return (
    <Page title="Overview" beside={at !== undefined && <span className="muted">as of <Time at={at} /></span>}>
      <Loaded query={overview} what="Asking the hub how it is">
        {(data) => (data.databaseReady === false || data.now === undefined ? <DatabaseAway /> : <Everything overview={data} now={data.now} />)}
      </Loaded>
    </Page>
  )
}

function DatabaseAway() {
  return (
    <div className="note note-bad" role="alert">
      <Shape tone="bad" />
      <div className="note-body">
        <strong>The database is away</strong>
        <p>The hub runs and waits for it. Nothing that was recorded is lost; delivery goes on by itself when the database is back.</p>
        <p>Until then applications cannot publish to this hub, and nobody can see how subscriptions are doing. The page asks again by itself.</p>
      </div>
    </div>
  )
}

function Everything({ overview, now }: { overview: Overview; now: NonNullable<Overview['now']> }) {
  return (
    <>
      <Tiles>
        <Tile name="Recorded" value={rate(now.recordedPerSecond ?? 0)} note="over the last minute" />
        <Tile
          name="Delivered"
          value={rate(now.deliveredPerSecond ?? 0)}
          note={(now.failedPerSecond ?? 0) > 0 ? `${rate(now.failedPerSecond ?? 0)} attempts fail` : 'no attempt failed'}
        />
        <Tile
          name="Backlog"
          value={`${now.pending?.exact === false ? '≈ ' : ''}${shortCount(now.pending?.count ?? 0)}`}
          note={backlogNote(now.waiting ?? 0, now.held ?? 0)}
        />
        <Tile
          name="Oldest undelivered"
          value={oldest(now.oldestAge)}
          note={now.oldestSubscription === undefined ? 'nothing waits' : <span className="wrap">for <SubscriptionLink name={now.oldestSubscription} /></span>}
        />
        <Tile
          name="Dead letters"
          value={shortCount(now.deadLetters ?? 0)}
          note={<Link to="/dead-letters">{(now.deadLettersLastHour ?? 0) === 0 ? 'none in the last hour' : `${count(now.deadLettersLastHour ?? 0)} in the last hour`}</Link>}
        />
        <Tile
          name="In trouble"
          value={count(now.inTrouble ?? 0)}
          note={`of ${count(now.subscriptions ?? 0)} subscriptions${(now.paused ?? 0) > 0 ? `, ${count(now.paused ?? 0)} paused` : ''}`}
        />
      </Tiles>
      <Alerts alerts={overview.alerts ?? []} more={overview.moreAlerts ?? 0} />
      <WorstSubscriptions />
      <LastHour series={overview.lastHour} />
      <Hubs hubs={overview.hubs ?? []} />
    </>
  )
}

function backlogNote(waiting: number, held: number): string {
  const parts = [...(waiting > 0 ? [`${count(waiting)} to be tried again`] : []), ...(held > 0 ? [`${count(held)} held behind others`] : [])]
  return parts.length === 0 ? 'not delivered yet' : parts.join(', ')
}

function oldest(age: string | undefined): string {
  const millis = age === undefined ? undefined : durationMillis(age)
  return millis === undefined ? '–' : duration(millis)
}
