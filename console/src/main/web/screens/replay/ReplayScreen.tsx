import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useReplay, useReplayItems, type Replay, type ReplayItem } from '~/api/replays'
import { PagedTable, type Column } from '~/components/DataTable'
import { Fact, Facts, Page, Section, Tile, Tiles } from '~/components/Page'
import { Empty, Loaded } from '~/components/states'
import { Shape, Status } from '~/components/Status'
import { Tabs } from '~/components/Tabs'
import { SubscriptionLink } from '~/components/ScreenLink'
import { Time } from '~/components/Time'
import { count, duration, durationMillis, percent, rate } from '~/lib/format'
import { Progress } from './Progress'
import { Steering } from './Steering'
import { skippedBecause, sum } from './words'
import './replay.css'

const route = getRouteApi('/replay/$id')

export function ReplayScreen() {
  const { id } = route.useParams()
  const replay = useReplay(id)
  return (
    <Page
      title={`Replay ${id}`}
      beside={replay.data && <Status of={replay.data.state} />}
      actions={replay.data && <Steering id={id} replay={replay.data} />}
      about={<Link to="/replay">All replays</Link>}
    >
      <Loaded query={replay}>
        {(found) => (
          <>
            <Standing of={found} />
            <Account of={found} />
            <Plan of={found} />
            <Items id={id} of={found} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** What it waits for, if it does: the one sentence that somebody who is paged needs. */
function Standing({ of }: { of: Replay }) {
  const words =
    of.state === 'WAITING_FOR_GO'
      ? 'The canary is done. Look below at what became of it, then let the others go, or cancel.'
      : of.state === 'PAUSED'
        ? `Paused${of.stateReason === undefined ? '' : `: ${of.stateReason}`}. Nothing is sent until it is resumed.`
        : of.state === 'RUNNING' && of.trying === true
          ? 'Only the canary is sent now.'
          : undefined
  return words === undefined ? null : (
    <div className="note note-warn" role="status">
      <Shape tone="warn" />
      <p className="note-body wrap">{words}</p>
    </div>
  )
}

function Account({ of }: { of: Replay }) {
  const { requested = 0, delivered = 0, failed = 0, pending = 0 } = of
  const skipped = sum(of.skipped)
  const share = (some: number) => (requested === 0 ? undefined : percent(some / requested))
  const reasons = Object.entries(of.skipped ?? {}).filter(([, some]) => some > 0)
  const left = of.eta === undefined ? undefined : durationMillis(of.eta)
  return (
    <div className="stack">
      <Progress of={of} />
      <Tiles>
        <Tile name="Items" value={count(requested)} note={of.state === 'RUNNING' ? eta(left, pending) : of.endedAt === undefined ? 'stands still' : 'ended'} />
        <Tile name="Delivered" value={count(delivered)} note={share(delivered)} />
        <Tile name="Failed" value={count(failed)} note={share(failed)} />
        <Tile name="Skipped" value={count(skipped)} note={reasons.length === 0 ? share(skipped) : reasons.map(([reason, some]) => `${count(some)} ${skippedBecause(reason)}`).join(', ')} />
        <Tile name="Pending" value={count(pending)} note={share(pending)} />
      </Tiles>
    </div>
  )
}

function eta(left: number | undefined, pending: number): string {
  if (pending === 0) {
    return 'all settled'
  }
  return left === undefined ? 'nobody can tell yet how long it takes' : `some ${duration(left)} to go`
}

function Plan({ of }: { of: Replay }) {
  const subscribers = Object.entries(of.subscribers ?? {})
  return (
    <Section title="The job">
      <Facts>
        <Fact name="Asked for">
          <Time at={of.requestedAt} show="both" />
        </Fact>
        <Fact name="By">{of.requestedBy}</Fact>
        <Fact name="Reason">{of.reason ?? '–'}</Fact>
        {of.endedAt !== undefined && (
          <Fact name="Ended">
            <Time at={of.endedAt} show="both" />
          </Fact>
        )}
        <Fact name="To">
          {subscribers.slice(0, 20).map(([name, some], index) => (
            <span key={name}>
              {index > 0 && ', '}
              <SubscriptionLink name={name} /> ({count(some)})
            </span>
          ))}
          {subscribers.length > 20 && ` and ${count(subscribers.length - 20)} others`}
        </Fact>
        <Fact name="Rate">{of.ratePerSecond === undefined ? 'no limit' : `at most ${rate(of.ratePerSecond)}`}</Fact>
        <Fact name="At a time">{of.maxInFlight === undefined ? 'no limit' : `at most ${count(of.maxInFlight)} a subscriber`}</Fact>
        <Fact name="Canary">{of.canary === undefined ? 'none' : `${count(of.canary.count ?? 0)} first, then ${of.canary.then === 'go-on' ? 'go on if all were delivered' : 'wait'}`}</Fact>
        <Fact name="Brake">{of.stopAtFailureRate === undefined ? 'none' : `pauses above ${percent(of.stopAtFailureRate)} failed`}</Fact>
        {Object.entries(of.selection ?? {}).map(([name, value]) => (
          <Fact key={name} name={name === 'of' ? 'Selected of' : `Selected by ${name}`}>
            {value}
          </Fact>
        ))}
      </Facts>
    </Section>
  )
}

const columns: Column<ReplayItem>[] = [
  { name: 'Ended', width: '120px', cell: (row) => <Time at={row.endedAt} show="age" focusable={false} /> },
  { name: 'Subscription', width: 'minmax(120px, 1fr)', cell: (row) => row.subscriberId },
  { name: 'Event', width: 'minmax(180px, 1.2fr)', cell: (row) => <code>{row.messageId}</code> },
  {
    name: 'Why',
    width: 'minmax(240px, 3fr)',
    cell: (row) => <span data-tip={row.errorMessage}>{row.errorMessage ?? (row.reason === undefined ? <span className="muted">–</span> : skippedBecause(row.reason))}</span>,
  },
  { name: 'Dead letter', width: '100px', align: 'end', cell: (row) => row.deadLetterId ?? <span className="muted">–</span> },
]

function Items({ id, of }: { id: string; of: Replay }) {
  const { items = 'failed' } = route.useSearch()
  const navigate = useNavigate()
  const tab = (outcome: 'failed' | 'skipped', name: string, some: number) => ({
    id: outcome,
    name: `${name} (${count(some)})`,
    content: () => <ItemTable id={id} outcome={outcome} />,
  })
  return (
    <Section title="Items">
      <p className="muted">Delivered items are counted, not listed: they are dead letters no more.</p>
      <Tabs
        label="Items by outcome"
        open={items}
        onOpen={(open) => void navigate({ to: '/replay/$id', params: { id }, search: open === 'skipped' ? { items: 'skipped' } : {}, replace: true })}
        tabs={[tab('failed', 'Failed', of.failed ?? 0), tab('skipped', 'Skipped', sum(of.skipped))]}
      />
    </Section>
  )
}

function ItemTable({ id, outcome }: { id: string; outcome: 'failed' | 'skipped' }) {
  const pages = useReplayItems(id, outcome)
  const navigate = useNavigate()
  return (
    <PagedTable
      label={`Items that were ${outcome}`}
      columns={columns}
      pages={pages}
      rowKey={(row) => `${row.subscriberId ?? ''} ${row.messageId ?? ''}`}
      onOpen={(row) => {
        if (row.deadLetterId !== undefined) {
          void navigate({ to: '/dead-letters/$id', params: { id: String(row.deadLetterId) } })
        } else {
          void navigate({ to: `/events/${encodeURIComponent(row.messageId ?? '')}` })
        }
      }}
      empty={<Empty title={outcome === 'failed' ? 'None has failed.' : 'None was skipped.'} />}
    />
  )
}
