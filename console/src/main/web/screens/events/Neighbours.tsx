import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useEvents, type EventDetail, type EventItem } from '~/api/events'
import { PagedTable, type Column } from '~/components/DataTable'
import { Empty } from '~/components/states'
import { Shape } from '~/components/Status'
import { eventColumns } from './columns'

const route = getRouteApi('/events/$id')

const spans: { id: string; name: string; millis: number | undefined }[] = [
  { id: '10m', name: '10 minutes', millis: 600_000 },
  { id: '1h', name: 'an hour', millis: 3_600_000 },
  { id: '1d', name: 'a day', millis: 86_400_000 },
  { id: 'all', name: 'all the log', millis: undefined },
]

/** The events of the same key around this one, in whose order it is delivered. */
export function Neighbours({ event }: { event: EventDetail }) {
  const { within } = route.useSearch()
  const navigate = route.useNavigate()
  const span = spans.find((one) => one.id === within) ?? spans[1]
  const { key, recordedAt = '' } = event
  const filter = useMemo(() => {
    const at = Date.parse(recordedAt)
    const bounds = span?.millis === undefined ? {} : { from: new Date(at - span.millis).toISOString(), to: new Date(at + span.millis).toISOString() }
    return { ...(key === undefined ? {} : { key }), ...bounds }
  }, [key, recordedAt, span])
  const events = useEvents(filter, key !== undefined)

  if (key === undefined) {
    return (
      <Empty title="It has no key.">
        <p>Events without a key have no order to keep: none of them waits for another.</p>
      </Empty>
    )
  }
  const columns: Column<EventItem>[] = [
    { name: 'Place', width: '120px', cell: (row) => <Place row={row} event={event} /> },
    ...eventColumns.filter((column) => column.name !== 'Key'),
  ]
  return (
    <div className="stack">
      <div className="row">
        <label htmlFor="events-within">Recorded before and after it within</label>
        <select
          id="events-within"
          className="input events-within"
          value={span?.id}
          onChange={(change) => void navigate({ search: (search) => ({ ...search, within: change.target.value }), replace: true })}
        >
          {spans.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </select>
      </div>
      <PagedTable
        label="Events of the same key, the newest first"
        columns={columns}
        pages={events}
        rowKey={(row) => row.id ?? ''}
        onOpen={(row) => void navigate({ to: '/events/$id', params: { id: row.id ?? '' }, search: { tab: 'key', ...(within === undefined ? {} : { within }) } })}
        empty={
          <Empty title="No event of this key in that time.">
            <p>The log has dropped this one, and has none beside it. Look further.</p>
          </Empty>
        }
      />
    </div>
  )
}

function Place({ row, event }: { row: EventItem; event: EventDetail }) {
  if (row.id === event.id) {
    return (
      <strong className="events-this">
        <Shape tone="busy" /> this one
      </strong>
    )
  }
  return <span className="muted">{Date.parse(row.recordedAt ?? '') > Date.parse(event.recordedAt ?? '') ? 'after it' : 'before it'}</span>
}
