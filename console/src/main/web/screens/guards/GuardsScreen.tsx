import { useNavigate } from '@tanstack/react-router'
import { useGuards, type Guard } from '~/api/guards'
import { PagedTable, type Column } from '~/components/DataTable'
import { Page } from '~/components/Page'
import { Empty } from '~/components/states'
import { Badge } from '~/components/Status'
import { Time } from '~/components/Time'
import { count } from '~/lib/format'

const columns: Column<Guard>[] = [
  { name: 'Name', width: 'minmax(160px, 1fr)', cell: (row) => row.name },
  {
    name: 'In doubt',
    width: '130px',
    cell: (row) => ((row.inDoubt ?? 0) > 0 ? <Badge tone="warn">{count(row.inDoubt ?? 0)} in doubt</Badge> : <Badge tone="ok">none</Badge>),
  },
  { name: 'Target', width: 'minmax(200px, 2fr)', cell: (row) => row.url ?? <span className="muted">secret</span> },
  { name: 'Trouble', width: 'minmax(120px, 1fr)', cell: (row) => row.trouble ?? <span className="muted">–</span> },
  { name: 'Changed', width: '190px', cell: (row) => <Time at={row.changedAt} focusable={false} /> },
]

export function GuardsScreen() {
  const guards = useGuards()
  const navigate = useNavigate()
  return (
    <Page title="Guards" about="Each forwards an event once to a system that would act twice. What nobody can know is in doubt until a person decides.">
      <PagedTable
        label="Guards"
        columns={columns}
        pages={guards}
        rowKey={(row) => row.name ?? ''}
        onOpen={(row) => void navigate({ to: '/guards/$name', params: { name: row.name ?? '' } })}
        empty={
          <Empty title="No guard yet.">
            <p>A guard stands in front of a system that would act twice if it were called twice.</p>
          </Empty>
        }
      />
    </Page>
  )
}
