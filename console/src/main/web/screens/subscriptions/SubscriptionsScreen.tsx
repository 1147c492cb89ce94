import { useSubscriptions, type Subscription } from '~/api/subscriptions'
import { PagedTable, type Column } from '~/components/DataTable'
import { Page } from '~/components/Page'
import { Empty } from '~/components/states'
import { Status } from '~/components/Status'
import { Time } from '~/components/Time'

const columns: Column<Subscription>[] = [
  { name: 'Name', width: 'minmax(180px, 1.5fr)', cell: (row) => row.name },
  { name: 'State', width: '130px', cell: (row) => <Status of={row.state} tip={row.reason ?? row.pauseReason} /> },
  { name: 'Sink', width: '100px', cell: (row) => row.sink?.kind ?? (row.servedBy === 'application' ? 'application' : '–') },
  { name: 'Types', width: 'minmax(160px, 1.5fr)', cell: (row) => row.filter?.types?.join(', ') ?? 'all' },
  { name: 'Changed', width: '190px', cell: (row) => <Time at={row.changedAt} focusable={false} /> },
]

export function SubscriptionsScreen() {
  const subscriptions = useSubscriptions()
  return (
    <Page title="Subscriptions">
      <PagedTable
        label="Subscriptions"
        columns={columns}
        pages={subscriptions}
        rowKey={(row) => row.name ?? ''}
        empty={
          <Empty title="No subscription yet.">
            <p>A subscription says who gets which events, and how.</p>
          </Empty>
        }
      />
    </Page>
  )
}
