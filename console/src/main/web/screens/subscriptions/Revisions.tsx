import { getRouteApi } from '@tanstack/react-router'
import { useRevisions, type Revision } from '~/api/subscriptions'
import { PagedTable, type Column } from '~/components/DataTable'
import { JsonView } from '~/components/JsonView'
import { Section } from '~/components/Page'
import { Empty } from '~/components/states'
import { Badge } from '~/components/Status'
import { Time } from '~/components/Time'
import { differences } from './diff'

const route = getRouteApi('/subscriptions/$name')

export function Revisions({ name }: { name: string }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const revisions = useRevisions(name)
  const { rows, hasMore } = revisions
  const before = (of: Revision) => rows[rows.indexOf(of) + 1]
  const columns: Column<Revision>[] = [
    { name: 'Revision', width: '100px', align: 'end', cell: (row) => row.revision },
    { name: 'When', width: '200px', cell: (row) => <Time at={row.changedAt} focusable={false} /> },
    { name: 'By', width: 'minmax(140px, 1fr)', cell: (row) => row.changedBy ?? <span className="muted">–</span> },
    {
      name: 'What',
      width: 'minmax(240px, 3fr)',
      cell: (row) => {
        const former = before(row)
        if (row.deleted) {
          return <Badge tone="off">deleted</Badge>
        }
        if (former === undefined) {
          return hasMore ? <span className="muted">…</span> : 'created'
        }
        return former.deleted ? 'created anew' : differences(former.document, row.document).map((one) => one.path).join(', ') || <span className="muted">secrets alone, or nothing that is shown</span>
      },
    },
  ]
  const chosen = rows.find((row) => row.revision === search.revision) ?? rows[0]
  return (
    <div className="stack">
      <PagedTable
        label="Revisions"
        columns={columns}
        pages={revisions}
        rowKey={(row) => String(row.revision)}
        onOpen={(row) => void navigate({ search: { tab: 'revisions', ...(row.revision === undefined ? {} : { revision: row.revision }) } })}
        empty={
          <Empty title="No revision is kept.">
            <p>Only the hub’s own subscriptions have them; an application knows its own.</p>
          </Empty>
        }
      />
      {chosen !== undefined && <Changes revision={chosen} before={before(chosen)} />}
    </div>
  )
}

function Changes({ revision, before }: { revision: Revision; before: Revision | undefined }) {
  const found = differences(before?.document, revision.document)
  return (
    <Section title={before === undefined ? `Revision ${revision.revision ?? ''}` : `From revision ${before.revision ?? ''} to ${revision.revision ?? ''}`}>
      <div className="stack">
        {revision.deleted ? (
          <p>It was deleted by this revision.</p>
        ) : found.length === 0 ? (
          <p className="muted">Nothing that is shown changed. Secrets are not kept in revisions.</p>
        ) : (
          <table className="subscriptions-diff">
              <thead>
                <tr>
                  <th scope="col">Field</th>
                  <th scope="col">Before</th>
                  <th scope="col">After</th>
                </tr>
              </thead>
              <tbody>
                {found.map((one) => (
                  <tr key={one.path}>
                    <th scope="row">
                      <code className="wrap">{one.path}</code>
                    </th>
                    <td>{one.before === undefined ? <span className="muted">not there</span> : <del>{one.before}</del>}</td>
                    <td>{one.after === undefined ? <span className="muted">taken out</span> : <ins>{one.after}</ins>}</td>
                  </tr>
                ))}
              </tbody>
            </table>
        )}
        <details>
          <summary>The whole document of revision {revision.revision}</summary>
          <JsonView text={JSON.stringify(revision.document ?? {})} />
        </details>
      </div>
    </Section>
  )
}
