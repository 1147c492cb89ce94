import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useReplays, type Replay } from '~/api/replays'
import { ActionButton } from '~/components/Button'
import { PagedTable, type Column } from '~/components/DataTable'
import { FilterBar } from '~/components/FilterBar'
import { Page } from '~/components/Page'
import { Empty } from '~/components/states'
import { Status } from '~/components/Status'
import { Time } from '~/components/Time'
import { filterValues, parseFilter, type Qualifier } from '~/lib/filter'
import { count } from '~/lib/format'
import { Progress } from './Progress'
import './replay.css'

const route = getRouteApi('/replay')

const qualifiers: Qualifier[] = [
  { name: 'state', about: 'how it stands', values: ['RUNNING', 'WAITING_FOR_GO', 'PAUSED', 'CANCELLED', 'FINISHED'] },
  { name: 'sub', about: 'the subscription that it sends to' },
]

const columns: Column<Replay>[] = [
  { name: 'No.', width: '70px', align: 'end', cell: (row) => row.id },
  { name: 'State', width: '150px', cell: (row) => <Status of={row.state} tip={row.stateReason} /> },
  { name: 'Progress', width: 'minmax(120px, 1fr)', cell: (row) => <Progress of={row} small /> },
  { name: 'Items', width: '80px', align: 'end', cell: (row) => count(row.requested ?? 0) },
  { name: 'Delivered', width: '90px', align: 'end', cell: (row) => count(row.delivered ?? 0) },
  { name: 'Failed', width: '80px', align: 'end', cell: (row) => count(row.failed ?? 0) },
  { name: 'To', width: 'minmax(110px, 1fr)', cell: (row) => Object.keys(row.subscribers ?? {}).join(', ') || <span className="muted">–</span> },
  { name: 'Reason', width: 'minmax(140px, 1.6fr)', cell: (row) => row.reason ?? <span className="muted">–</span> },
  { name: 'By', width: 'minmax(80px, 0.7fr)', cell: (row) => row.requestedBy },
  { name: 'Asked for', width: '120px', cell: (row) => <Time at={row.requestedAt} show="age" focusable={false} /> },
]

export function ReplaysScreen() {
  const { q = '' } = route.useSearch()
  const navigate = useNavigate()
  const { state, sub } = filterValues(parseFilter(q, qualifiers)).values
  const replays = useReplays({ ...(state === undefined ? {} : { state: state.toUpperCase() }), ...(sub === undefined ? {} : { subscriberId: sub }) })
  return (
    <Page
      title="Replay"
      about="Jobs that send dead letters, or events of the past, again."
      actions={
        <>
          <ActionButton action="replay.start" onClick={() => void navigate({ to: '/replay/new', search: { scope: 'history' } })}>
            Replay a time window …
          </ActionButton>
          <ActionButton action="replay.start" look="primary" onClick={() => void navigate({ to: '/replay/new' })}>
            Replay dead letters …
          </ActionButton>
        </>
      }
    >
      <FilterBar label="Filter replays" qualifiers={qualifiers} value={q} onChange={(next) => void navigate({ to: '/replay', search: next === '' ? {} : { q: next } })} />
      <PagedTable
        label="Replays"
        columns={columns}
        pages={replays}
        rowKey={(row) => String(row.id)}
        onOpen={(row) => void navigate({ to: '/replay/$id', params: { id: String(row.id) } })}
        empty={
          <Empty title={q === '' ? 'Nothing was ever replayed.' : 'No replay matches.'}>
            <p>{q === '' ? 'A replay sends dead letters, or events of the past, again.' : 'Take something out of the filter to find more.'}</p>
          </Empty>
        }
      />
    </Page>
  )
}
