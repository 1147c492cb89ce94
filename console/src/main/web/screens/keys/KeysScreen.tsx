import { useKeys, type KeyItem } from '~/api/keys'
import { PagedTable, type Column } from '~/components/DataTable'
import { Page } from '~/components/Page'
import { Empty, Permitted } from '~/components/states'
import { Badge } from '~/components/Status'
import { Time } from '~/components/Time'

const columns: Column<KeyItem>[] = [
  { name: 'Name', width: 'minmax(160px, 1fr)', cell: (row) => row.name },
  { name: 'Role', width: '110px', cell: (row) => row.role },
  { name: 'State', width: '110px', cell: (row) => (row.revokedAt === undefined ? <Badge tone="ok">valid</Badge> : <Badge tone="off">revoked</Badge>) },
  { name: 'Payloads', width: '110px', cell: (row) => (row.payload ? 'unmasked' : 'masked') },
  { name: 'Bound to', width: 'minmax(160px, 1.5fr)', cell: (row) => [...(row.sources ?? []), ...(row.types ?? [])].join(', ') || <span className="muted">anything</span> },
  { name: 'Created', width: '190px', cell: (row) => <Time at={row.createdAt} focusable={false} /> },
]

export function KeysScreen() {
  return (
    <Page title="Keys">
      <Permitted action="key.look">
        <Keys />
      </Permitted>
    </Page>
  )
}

function Keys() {
  const keys = useKeys()
  return (
    <PagedTable
      label="API keys"
      columns={columns}
      pages={keys}
      rowKey={(row) => row.name}
      empty={
        <Empty title="This hub has no keys.">
          <p>It answers to its own machine alone, and lets it do everything. The first key must be an admin’s; from then on every call needs one.</p>
        </Empty>
      }
    />
  )
}
