import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useAudit, type AuditFilter, type AuditItem } from '~/api/audit'
import { Button } from '~/components/Button'
import { PagedTable, type Column } from '~/components/DataTable'
import { Dialog } from '~/components/Dialog'
import { FilterBar } from '~/components/FilterBar'
import { Fact, Facts, Page } from '~/components/Page'
import { Empty, Permitted } from '~/components/states'
import { Time } from '~/components/Time'
import { useAskedAt } from '~/lib/clock'
import { ageBounds, filterValues, parseFilter, withTerm, type Qualifier } from '~/lib/filter'
import { count, durationMillis } from '~/lib/format'
import { instantOf } from '~/lib/instants'
import './audit.css'

const route = getRouteApi('/audit')

/** As docs/audit.md has them. With a dot at the end all that begin so are found. */
const actions = [
  'subscription.', 'subscription.create', 'subscription.change', 'subscription.delete', 'subscription.pause', 'subscription.resume', 'subscription.let-go',
  'subscription.rotate-secret', 'subscription.drop-secret', 'subscription.test', 'subscription.tested',
  'event-type.', 'event-type.create', 'event-type.change', 'event-type.delete',
  'guard.', 'guard.create', 'guard.change', 'guard.delete', 'guard.decide',
  'key.', 'key.create', 'key.revoke', 'key.configure',
  'event.', 'event.conflict', 'event.defer',
  'dead-letter.', 'dead-letter.discard', 'dead-letter.purge', 'dead-letter.release', 'dead-letter.note', 'dead-letter.clear-note',
  'replay.', 'replay.start', 'replay.pause', 'replay.resume', 'replay.cancel', 'replay.change',
]

const time = (value: string) => (instantOf(value) === undefined ? 'write it like 2026-01-31 or 2026-01-31T14:05Z' : undefined)

const qualifiers: Qualifier[] = [
  { name: 'actor', about: 'the name of a key; local, admin or hub' },
  { name: 'action', about: 'exactly this, or all that begin so with a dot at the end: replay.', values: actions },
  {
    name: 'target',
    about: 'exactly this, or all of a kind with a slash at the end: subscription/',
    values: ['subscription/', 'event-type/', 'guard/', 'key/', 'event/', 'dead-letter/', 'replay/'],
  },
  { name: 'request', about: 'the request’s id' },
  {
    name: 'age',
    about: 'done less or more than so long ago: <1h, >1d',
    values: ['<1h', '<1d', '<7d', '>7d'],
    check: (value) => (ageBounds(value, 0, durationMillis) === undefined ? 'write it like <1h or >1d' : undefined),
  },
  { name: 'from', about: 'done at or after', check: time },
  { name: 'to', about: 'done before', check: time },
]

function filterOf(text: string, now: number): AuditFilter {
  const { request, age, from, to, ...rest } = filterValues(parseFilter(text, qualifiers)).values
  return {
    ...rest,
    ...(request === undefined ? {} : { requestId: request }),
    ...(age === undefined ? {} : ageBounds(age, now, durationMillis)),
    ...(from === undefined ? {} : { from: instantOf(from) ?? from }),
    ...(to === undefined ? {} : { to: instantOf(to) ?? to }),
  }
}

const columns: Column<AuditItem>[] = [
  { name: 'Done', width: '190px', cell: (row) => <Time at={row.doneAt} focusable={false} /> },
  { name: 'By', width: 'minmax(100px, 0.8fr)', cell: (row) => row.actor },
  { name: 'Action', width: 'minmax(160px, 1fr)', cell: (row) => <code>{row.action}</code> },
  { name: 'Target', width: 'minmax(160px, 1.3fr)', cell: (row) => row.target },
  { name: 'Times', width: '70px', align: 'end', cell: (row) => (row.count === undefined ? <span className="muted">–</span> : count(row.count)) },
  { name: 'Reason', width: 'minmax(160px, 2fr)', cell: (row) => row.reason ?? <span className="muted">–</span> },
]

export function AuditScreen() {
  return (
    <Page title="Audit" about="Who changed what, and why. Looking is not written down.">
      <Permitted action="audit.look">
        <Audit />
      </Permitted>
    </Page>
  )
}

function Audit() {
  const { q = '', entry } = route.useSearch()
  const navigate = route.useNavigate()
  const asked = useAskedAt(q)
  const filter = useMemo(() => filterOf(q, asked), [q, asked])
  const audit = useAudit(filter)
  const open = audit.rows.find((row) => String(row.id) === entry)
  const go = (text: string, id?: string) => {
    void navigate({ search: { ...(text === '' ? {} : { q: text }), ...(id === undefined ? {} : { entry: id }) } })
  }
  return (
    <>
      <FilterBar label="Filter the audit" qualifiers={qualifiers} value={q} onChange={(next) => { go(next) }} />
      <PagedTable
        label="Audit"
        columns={columns}
        pages={audit}
        rowKey={(row) => String(row.id)}
        onOpen={(row) => {
          go(q, String(row.id))
        }}
        empty={
          <Empty title={q === '' ? 'Nobody has changed anything yet.' : 'Nothing in the audit matches.'}>
            {q !== '' && <p>Take something out of the filter to find more.</p>}
          </Empty>
        }
      />
      {open && (
        <Entry
          of={open}
          onClose={() => {
            go(q)
          }}
          onFilter={(name, value) => {
            go(withTerm(q, qualifiers, name, value))
          }}
        />
      )}
    </>
  )
}

function Entry({ of, onClose, onFilter }: { of: AuditItem; onClose: () => void; onFilter: (name: string, value: string) => void }) {
  const detail = Object.entries(of.detail ?? {})
  const same = (name: string, value: string | undefined, words: string) =>
    value === undefined ? null : (
      <Button
        look="quiet"
        onClick={() => {
          onFilter(name, value)
        }}
      >
        {words}
      </Button>
    )
  return (
    <Dialog open wide onClose={onClose} title={of.action ?? 'Entry'} actions={<Button look="primary" onClick={onClose}>Close</Button>}>
      <Facts>
        <Fact name="Done">
          <Time at={of.doneAt} show="both" />
        </Fact>
        <Fact name="By">{of.actor}</Fact>
        <Fact name="Target">{of.target}</Fact>
        {of.count !== undefined && <Fact name="Times">{count(of.count)}</Fact>}
        <Fact name="Reason">{of.reason ?? '–'}</Fact>
        <Fact name="Request">{of.requestId ?? '–'}</Fact>
      </Facts>
      <div className="row">
        {same('target', of.target, 'All of this target')}
        {same('actor', of.actor, 'All by this actor')}
        {same('request', of.requestId, 'All of this request')}
      </div>
      {detail.length > 0 && (
        <dl className="audit-detail">
          {detail.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <pre>{value}</pre>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Dialog>
  )
}
