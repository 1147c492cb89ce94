import { Link } from '@tanstack/react-router'
import { useStatus, type SubscriptionState } from '~/api/overview'
import { DataTable, type Column } from '~/components/DataTable'
import { Page, Section, Tile, Tiles } from '~/components/Page'
import { Empty, Loaded } from '~/components/states'
import { Badge } from '~/components/Status'
import { count, duration, durationMillis, shortCount } from '~/lib/format'

const columns: Column<SubscriptionState>[] = [
  { name: 'Subscription', width: 'minmax(180px, 2fr)', cell: (row) => row.name },
  { name: 'State', width: 'minmax(150px, 1fr)', cell: (row) => <Trouble of={row} /> },
  { name: 'Backlog', width: '110px', align: 'end', cell: (row) => `${row.pending?.exact === false ? '≈ ' : ''}${count(row.pending?.count ?? 0)}` },
  { name: 'Oldest', width: '110px', align: 'end', cell: (row) => oldest([row]) },
  { name: 'Held', width: '90px', align: 'end', cell: (row) => count(row.held ?? 0) },
  { name: 'Dead letters', width: '120px', align: 'end', cell: (row) => count(row.deadLetters ?? 0) },
]

export function OverviewScreen() {
  const status = useStatus()
  return (
    <Page title="Overview">
      <Loaded query={status} what="Asking the hub how it is">
        {({ subscriptions = [], instances = [], database }) => (
          <>
            <Tiles>
              <Tile name="Backlog" value={shortCount(sum(subscriptions, (one) => one.pending?.count))} note="events not delivered yet" />
              <Tile name="Oldest undelivered" value={oldest(subscriptions)} />
              <Tile name="Dead letters" value={shortCount(sum(subscriptions, (one) => one.deadLetters))} note={<Link to="/dead-letters">by cause</Link>} />
              <Tile name="Hubs" value={count(instances.length)} note={<span className="wrap">{instances.join(', ')}</span>} />
              <Tile
                name="Database"
                value={database?.ready === false ? <Badge tone="bad">away</Badge> : <Badge tone="ok">ready</Badge>}
                note={database?.ready === false ? 'Nothing is lost; delivery goes on when it is back.' : undefined}
              />
            </Tiles>
            <Section title="Subscriptions" flush>
              {subscriptions.length === 0 ? (
                <Empty title="No subscription yet.">
                  <p>Events are recorded and kept, and nobody gets them.</p>
                </Empty>
              ) : (
                <DataTable label="Subscriptions" columns={columns} rows={subscriptions} rowKey={(row) => row.name ?? ''} />
              )}
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Trouble({ of }: { of: SubscriptionState }) {
  if (of.denial) {
    return <Badge tone="bad" tip={of.denial.reason}>denied</Badge>
  }
  if (of.breaker) {
    return <Badge tone="bad" tip={of.breaker.reason}>breaker open</Badge>
  }
  if (of.paused) {
    return <Badge tone="off">paused</Badge>
  }
  if (of.instances?.length === 0) {
    return <Badge tone="warn" tip="Nobody delivers to it now.">nobody serves it</Badge>
  }
  return (of.deadLetters ?? 0) > 0 ? <Badge tone="warn">dead letters</Badge> : <Badge tone="ok">well</Badge>
}

const sum = (rows: SubscriptionState[], of: (row: SubscriptionState) => number | undefined) => rows.reduce((total, row) => total + (of(row) ?? 0), 0)

function oldest(rows: SubscriptionState[]): string {
  const ages = rows.map((row) => durationMillis(row.oldestAge ?? '') ?? 0)
  const most = Math.max(0, ...ages)
  return most === 0 ? '–' : duration(most)
}
