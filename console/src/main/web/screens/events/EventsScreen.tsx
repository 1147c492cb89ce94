import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useEvents, type EventFilter, type EventItem } from '~/api/events'
import { PagedTable, type Column } from '~/components/DataTable'
import { FilterBar } from '~/components/FilterBar'
import { Page } from '~/components/Page'
import { Empty } from '~/components/states'
import { Status } from '~/components/Status'
import { Time } from '~/components/Time'
import { ageBounds, filterValues, parseFilter, type Qualifier } from '~/lib/filter'
import { useAskedAt } from '~/lib/clock'
import { durationMillis } from '~/lib/format'

const route = getRouteApi('/events')

const qualifiers: Qualifier[] = [
  { name: 'type', about: 'exactly this, or a pattern with *' },
  { name: 'sub', about: 'the subscription that wants it' },
  { name: 'status', about: 'what has become of it', values: ['pending', 'sending', 'held', 'delivered', 'failed', 'discarded'] },
  { name: 'key', about: 'exactly this' },
  { name: 'source', about: 'exactly this, or a pattern with *' },
  { name: 'id', about: 'the event’s id, a UUID or the source’s own' },
  {
    name: 'age',
    about: 'younger or older than: <2h, >1d',
    values: ['<5m', '<1h', '<2h', '<1d'],
    check: (value) => (ageBounds(value, 0, durationMillis) === undefined ? 'write it like <2h or >1d' : undefined),
  },
]

function filterOf(text: string, now: number): EventFilter {
  const { values } = filterValues(parseFilter(text, qualifiers))
  const { sub, age, ...rest } = values
  return { ...rest, ...(sub === undefined ? {} : { subscription: sub }), ...(age === undefined ? {} : ageBounds(age, now, durationMillis)) }
}

const columns: Column<EventItem>[] = [
  { name: 'Recorded', width: '190px', cell: (row) => <Time at={row.recordedAt} focusable={false} /> },
  { name: 'Type', width: 'minmax(160px, 1.5fr)', cell: (row) => row.type },
  { name: 'Status', width: '120px', cell: (row) => <Status of={row.status} /> },
  { name: 'Key', width: 'minmax(120px, 1fr)', cell: (row) => row.key ?? <span className="muted">–</span> },
  { name: 'Source', width: 'minmax(120px, 1fr)', cell: (row) => row.source },
  { name: 'Id', width: 'minmax(160px, 1.2fr)', cell: (row) => <code>{row.sourceId ?? row.id}</code> },
]

export function EventsScreen() {
  const { q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  // An age counts from when it was asked for, and not anew with every look.
  const asked = useAskedAt(q)
  const filter = useMemo(() => filterOf(q, asked), [q, asked])
  const events = useEvents(filter)
  return (
    <Page title="Events">
      <FilterBar label="Filter events" qualifiers={qualifiers} value={q} onChange={(next) => void navigate({ search: next === '' ? {} : { q: next } })} />
      <PagedTable
        label="Events"
        columns={columns}
        pages={events}
        rowKey={(row) => row.id ?? ''}
        empty={
          <Empty title={q === '' ? 'No event has been recorded.' : 'No event matches.'}>
            <p>{q === '' ? 'They appear here as soon as an application publishes or records one.' : 'The log keeps events for a while only; what is older is gone.'}</p>
          </Empty>
        }
      />
    </Page>
  )
}
