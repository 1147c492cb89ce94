import { getRouteApi } from '@tanstack/react-router'
import { useAttempts, type Attempt } from '~/api/subscriptions'
import { PagedTable, type Column } from '~/components/DataTable'
import { Empty } from '~/components/states'
import { Badge, type Tone } from '~/components/Status'
import { Time } from '~/components/Time'
import { duration } from '~/lib/format'
import { attemptsOf } from './search'

const route = getRouteApi('/subscriptions/$name')

const tones: Record<string, Tone> = { DELIVERED: 'ok', RETRY: 'warn', REJECT: 'bad', UNAVAILABLE: 'bad' }

const columns: Column<Attempt>[] = [
  { name: 'Began', width: '165px', cell: (row) => <Time at={row.startedAt} focusable={false} /> },
  { name: 'Outcome', width: '115px', cell: (row) => (row.outcome === undefined ? '–' : <Badge tone={tones[row.outcome] ?? 'idle'}>{row.outcome.toLowerCase()}</Badge>) },
  { name: 'No.', width: '52px', align: 'end', cell: (row) => row.number },
  { name: 'Took', width: '90px', align: 'end', cell: (row) => (row.tookMillis === undefined ? '–' : duration(row.tookMillis)) },
  { name: 'Code', width: '70px', align: 'end', cell: (row) => row.replyCode ?? <span className="muted">–</span> },
  { name: 'Why', width: 'minmax(190px, 2fr)', cell: (row) => <span data-tip={row.message}>{row.message ?? row.errorClass ?? <span className="muted">–</span>}</span> },
  { name: 'Type', width: 'minmax(120px, 1fr)', cell: (row) => row.type ?? <span className="muted">–</span> },
  { name: 'Key', width: 'minmax(90px, 0.6fr)', cell: (row) => row.key ?? <span className="muted">–</span> },
  { name: 'By', width: 'minmax(100px, 0.6fr)', cell: (row) => row.instance },
]

export function Attempts({ name, keepsAll }: { name: string; keepsAll: boolean }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const attempts = useAttempts(name, search.outcome)
  return (
    <div className="stack">
      <label className="row">
        <span className="muted">Outcome</span>
        <select
          className="input subscriptions-sort"
          value={search.outcome ?? ''}
          onChange={(event) => void navigate({ search: { tab: 'attempts', ...attemptsOf({ outcome: event.target.value }) } })}
        >
          <option value="">any</option>
          <option value="failed">failed, however</option>
          <option value="DELIVERED">delivered</option>
          <option value="RETRY">to be tried again</option>
          <option value="REJECT">rejected</option>
          <option value="UNAVAILABLE">receiver not reached</option>
        </select>
      </label>
      <PagedTable
        label="Attempts"
        columns={columns}
        pages={attempts}
        rowKey={(row) => `${row.eventId ?? ''} ${row.number ?? ''} ${row.startedAt ?? ''}`}
        onOpen={(row) => void navigate({ to: '/events', search: { q: `id:${row.eventId ?? ''}` } })}
        empty={
          <Empty title={search.outcome === undefined ? 'No attempt is recorded.' : 'No attempt had this outcome.'}>
            <p>{keepsAll ? 'Of every attempt a record is kept, for as long as the log.' : 'An event that is delivered at once leaves no record; set “keep attempts” to all if you want one.'}</p>
          </Empty>
        }
      />
    </div>
  )
}
