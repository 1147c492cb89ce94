import type { EventItem } from '~/api/events'
import type { Column } from '~/components/DataTable'
import { Status } from '~/components/Status'
import { Time } from '~/components/Time'
import { count } from '~/lib/format'
import { byTrouble } from './story'

export const eventColumns: Column<EventItem>[] = [
  { name: 'Recorded', width: '180px', cell: (row) => <Time at={row.recordedAt} focusable={false} /> },
  { name: 'Type', width: 'minmax(140px, 1.4fr)', cell: (row) => <span data-tip={row.type}>{row.type}</span> },
  { name: 'Status', width: '115px', cell: (row) => <Overall row={row} /> },
  { name: 'Subscriptions', width: 'minmax(140px, 1.2fr)', cell: (row) => <Receivers row={row} /> },
  { name: 'Key', width: 'minmax(100px, 1fr)', cell: (row) => row.key ?? <span className="muted">–</span> },
  { name: 'Source', width: 'minmax(100px, 1fr)', cell: (row) => row.source },
  { name: 'Id', width: 'minmax(140px, 1.1fr)', cell: (row) => <code>{row.sourceId ?? row.id}</code> },
]

function Overall({ row }: { row: EventItem }) {
  if (row.subscriptions === undefined) {
    return <span className="muted">just recorded</span>
  }
  return row.status === undefined ? <span className="muted">wanted by none</span> : <Status of={row.status} />
}

function Receivers({ row }: { row: EventItem }) {
  const items = byTrouble(row.subscriptions ?? [])
  if (items.length === 0) {
    return <span className="muted">–</span>
  }
  const names = items.map((one) => one.subscription)
  const said = items.map((one) => `${one.subscription ?? ''}: ${(one.status ?? '').toLowerCase()}`)
  return <span data-tip={said.slice(0, 12).join(' · ')}>{names.length > 3 ? `${names.slice(0, 2).join(', ')} and ${count(names.length - 2)} more` : names.join(', ')}</span>
}
