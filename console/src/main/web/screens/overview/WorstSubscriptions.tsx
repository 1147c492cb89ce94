import { useNavigate } from '@tanstack/react-router'
import { useWorstSubscriptions, type SubscriptionLine } from '~/api/overview'
import { DataTable, type Column } from '~/components/DataTable'
import { Section } from '~/components/Page'
import { ScreenLink, SubscriptionLink } from '~/components/ScreenLink'
import { Sparkline } from '~/components/Sparkline'
import { Empty, Loaded } from '~/components/states'
import { Badge } from '~/components/Status'
import { count, duration, durationMillis, percent, rate, shortCount } from '~/lib/format'
import { standing, trendInWords } from './trouble'

/** So many fit on a page; all others are the subscriptions' own list, in the same order. */
const shown = 25

const columns: Column<SubscriptionLine>[] = [
  { name: 'Subscription', width: 'minmax(130px, 1.5fr)', cell: (row) => <SubscriptionLink name={row.name ?? ''} /> },
  { name: 'State', width: '142px', cell: (row) => <State of={row} /> },
  { name: 'Reason', width: 'minmax(110px, 2fr)', cell: (row) => <Reason of={row} /> },
  { name: 'Backlog', width: '80px', align: 'end', cell: (row) => `${row.pending?.exact === false ? '≈ ' : ''}${shortCount(row.pending?.count ?? 0)}` },
  { name: 'Oldest', width: '112px', align: 'end', cell: (row) => lag(row.oldestAge) },
  { name: 'Dead letters', width: '120px', align: 'end', cell: (row) => <DeadLetters of={row} /> },
  { name: 'Delivered', width: '94px', align: 'end', cell: (row) => rate(row.deliveredPerSecond ?? 0) },
  { name: 'Errors', width: '72px', align: 'end', cell: (row) => (row.errorRate === undefined ? <span className="muted">–</span> : percent(row.errorRate)) },
  {
    name: 'Last hour',
    width: '94px',
    cell: (row) => <Sparkline values={row.deliveredPerMinute ?? []} label={trendInWords(row.deliveredPerMinute ?? [], row.failedPerMinute ?? [])} />,
  },
]

export function WorstSubscriptions() {
  const lines = useWorstSubscriptions(shown)
  const navigate = useNavigate()
  const open = (row: SubscriptionLine) => {
    void navigate({ to: `/subscriptions/${encodeURIComponent(row.name ?? '')}` })
  }
  return (
    <Section title="Subscriptions, by trouble" actions={<ScreenLink to="/subscriptions">all subscriptions</ScreenLink>} flush>
      <Loaded query={lines} what="Looking how the subscriptions are">
        {({ items = [], total = 0 }) =>
          items.length === 0 ? (
            <Empty title="No subscription yet.">
              <p>Events are recorded and kept, and nobody gets them.</p>
            </Empty>
          ) : (
            <DataTable
              label="Subscriptions, by trouble"
              columns={columns}
              rows={items}
              rowKey={(row) => row.name ?? ''}
              onOpen={open}
              footer={total > items.length ? `The ${count(items.length)} worst of ${count(total)}.` : undefined}
            />
          )
        }
      </Loaded>
    </Section>
  )
}

function State({ of }: { of: SubscriptionLine }) {
  const { tone, word, tip } = standing(of)
  return (
    <Badge tone={tone} tip={tip}>
      {word}
    </Badge>
  )
}

function Reason({ of }: { of: SubscriptionLine }) {
  const trouble = of.denial ?? of.breaker
  if (trouble?.reason === undefined) {
    return <span className="muted">–</span>
  }
  return (
    <span data-tip={trouble.reason}>
      {trouble.probedEvery !== undefined && <span className="muted">probed every {trouble.probedEvery}: </span>}
      {trouble.reason}
    </span>
  )
}

function DeadLetters({ of }: { of: SubscriptionLine }) {
  return (of.deadLetters ?? 0) === 0 ? '0' : (
    <ScreenLink to="/dead-letters" search={{ q: `sub:${of.name ?? ''}` }}>
      {count(of.deadLetters ?? 0)}
    </ScreenLink>
  )
}

function lag(age: string | undefined) {
  const millis = age === undefined ? undefined : durationMillis(age)
  return millis === undefined ? <span className="muted">–</span> : duration(millis)
}
