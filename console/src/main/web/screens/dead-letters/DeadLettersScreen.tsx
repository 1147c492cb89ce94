import { useDeadLetterGroups, type DeadLetterGroup } from '~/api/deadLetters'
import { DataTable, type Column } from '~/components/DataTable'
import { Page } from '~/components/Page'
import { Empty, Loaded } from '~/components/states'
import { Time } from '~/components/Time'
import { count } from '~/lib/format'

const columns: Column<DeadLetterGroup>[] = [
  { name: 'Count', width: '90px', align: 'end', cell: (row) => count(row.count ?? 0) },
  { name: 'Cause', width: 'minmax(240px, 3fr)', cell: (row) => row.cause ?? row.errorClass },
  { name: 'Subscription', width: 'minmax(140px, 1fr)', cell: (row) => row.subscriberId },
  { name: 'First seen', width: '120px', cell: (row) => <Time at={row.firstSeen} show="age" focusable={false} /> },
  { name: 'Last seen', width: '120px', cell: (row) => <Time at={row.lastSeen} show="age" focusable={false} /> },
]

export function DeadLettersScreen() {
  const groups = useDeadLetterGroups({})
  return (
    <Page title="Dead letters" about="What could not be delivered, by cause, the most frequent first.">
      <Loaded query={groups}>
        {({ items = [], complete }) =>
          items.length === 0 ? (
            <Empty title="No dead letters.">
              <p>Everything that was recorded was delivered, or is still being tried.</p>
            </Empty>
          ) : (
            <DataTable
              label="Dead letters by cause"
              columns={columns}
              rows={items}
              rowKey={(row) => `${row.subscriberId ?? ''}\0${row.errorClass ?? ''}\0${row.cause ?? ''}`}
              footer={complete === false ? `The ${count(items.length)} most frequent causes; there are more.` : undefined}
            />
          )
        }
      </Loaded>
    </Page>
  )
}
