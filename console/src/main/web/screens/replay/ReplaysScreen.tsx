import { useReplays, type Replay } from '~/api/replays'
import { PagedTable, type Column } from '~/components/DataTable'
import { Page } from '~/components/Page'
import { Empty } from '~/components/states'
import { Status } from '~/components/Status'
import { Time } from '~/components/Time'
import { count } from '~/lib/format'

const columns: Column<Replay>[] = [
  { name: 'Replay', width: '90px', align: 'end', cell: (row) => row.id },
  { name: 'State', width: '150px', cell: (row) => <Status of={row.state} tip={row.stateReason} /> },
  { name: 'Events', width: '100px', align: 'end', cell: (row) => count(row.requested ?? 0) },
  { name: 'Delivered', width: '100px', align: 'end', cell: (row) => count(row.delivered ?? 0) },
  { name: 'Failed', width: '100px', align: 'end', cell: (row) => count(row.failed ?? 0) },
  { name: 'Reason', width: 'minmax(160px, 2fr)', cell: (row) => row.reason ?? <span className="muted">–</span> },
  { name: 'By', width: 'minmax(100px, 1fr)', cell: (row) => row.requestedBy },
  { name: 'Requested', width: '190px', cell: (row) => <Time at={row.requestedAt} focusable={false} /> },
]

export function ReplaysScreen() {
  const replays = useReplays({})
  return (
    <Page title="Replay">
      <PagedTable
        label="Replays"
        columns={columns}
        pages={replays}
        rowKey={(row) => String(row.id)}
        empty={
          <Empty title="Nothing was ever replayed.">
            <p>A replay sends dead letters, or events of the past, again.</p>
          </Empty>
        }
      />
    </Page>
  )
}
