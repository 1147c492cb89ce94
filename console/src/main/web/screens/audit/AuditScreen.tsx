import { getRouteApi } from '@tanstack/react-router'
import { useAudit, type AuditItem } from '~/api/audit'
import { PagedTable, type Column } from '~/components/DataTable'
import { FilterBar } from '~/components/FilterBar'
import { Page } from '~/components/Page'
import { Empty, Permitted } from '~/components/states'
import { Time } from '~/components/Time'
import { filterValues, parseFilter, type Qualifier } from '~/lib/filter'

const route = getRouteApi('/audit')

const qualifiers: Qualifier[] = [
  { name: 'actor', about: 'the name of a key' },
  { name: 'action', about: 'exactly this, or all that begin so with a dot at the end: replay.' },
  { name: 'target', about: 'exactly this, or all of a kind with a slash at the end: subscription/' },
  { name: 'request', about: 'the request’s id' },
]

const columns: Column<AuditItem>[] = [
  { name: 'Done', width: '190px', cell: (row) => <Time at={row.doneAt} focusable={false} /> },
  { name: 'By', width: 'minmax(100px, 1fr)', cell: (row) => row.actor },
  { name: 'Action', width: 'minmax(140px, 1fr)', cell: (row) => <code>{row.action}</code> },
  { name: 'Target', width: 'minmax(160px, 1.5fr)', cell: (row) => row.target },
  { name: 'Reason', width: 'minmax(160px, 2fr)', cell: (row) => row.reason ?? <span className="muted">–</span> },
]

export function AuditScreen() {
  return (
    <Page title="Audit">
      <Permitted action="audit.look">
        <Audit />
      </Permitted>
    </Page>
  )
}

function Audit() {
  const { q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const { request, ...rest } = filterValues(parseFilter(q, qualifiers)).values
  const audit = useAudit({ ...rest, ...(request === undefined ? {} : { requestId: request }) })
  return (
    <>
      <FilterBar label="Filter the audit" qualifiers={qualifiers} value={q} onChange={(next) => void navigate({ search: next === '' ? {} : { q: next } })} />
      <PagedTable
        label="Audit"
        columns={columns}
        pages={audit}
        rowKey={(row) => String(row.id)}
        empty={<Empty title={q === '' ? 'Nobody has changed anything yet.' : 'Nothing in the audit matches.'} />}
      />
    </>
  )
}
