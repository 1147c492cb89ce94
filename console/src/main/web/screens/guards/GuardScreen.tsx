import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useForwards, useGuard, type Forward, type Guard } from '~/api/guards'
import { PagedTable, type Column } from '~/components/DataTable'
import { Fact, Facts, Page, Section } from '~/components/Page'
import { Empty, Loaded } from '~/components/states'
import { Badge, Status } from '~/components/Status'
import { Tabs } from '~/components/Tabs'
import { Time } from '~/components/Time'
import { count } from '~/lib/format'
import type { GuardSearch } from './routes'

const route = getRouteApi('/guards/$name')

export function GuardScreen() {
  const { name } = route.useParams()
  const guard = useGuard(name)
  const inDoubt = guard.data?.inDoubt ?? 0
  return (
    <Page
      title={name}
      beside={guard.data && (inDoubt > 0 ? <Badge tone="warn">{count(inDoubt)} in doubt</Badge> : <Badge tone="ok">nothing in doubt</Badge>)}
      about={<Link to="/guards">All guards</Link>}
    >
      <Loaded query={guard}>
        {(found) => (
          <>
            <About guard={found} />
            <Forwards name={name} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function About({ guard }: { guard: Guard }) {
  return (
    <Section title="Where it forwards to">
      <Facts>
        <Fact name="Target">{guard.url ?? (guard.secretUrl === true ? 'a secret address' : '–')}</Fact>
        <Fact name="Time it has">{guard.timeout ?? '10s'}</Fact>
        <Fact name="Repeats on">{guard.repeatOn?.join(', ') ?? '429, 503'}</Fact>
        {guard.trouble !== undefined && <Fact name="Trouble">{guard.trouble}</Fact>}
        <Fact name="Changed">
          <Time at={guard.changedAt} show="both" />
        </Fact>
        <Fact name="Revision">{guard.revision ?? '–'}</Fact>
      </Facts>
    </Section>
  )
}

const columns: Column<Forward>[] = [
  { name: 'Begun', width: '110px', cell: (row) => <Time at={row.begunAt} show="age" focusable={false} /> },
  { name: 'State', width: '130px', cell: (row) => <Status of={row.state} /> },
  { name: 'Event', width: 'minmax(140px, 1fr)', cell: (row) => <code>{row.id ?? row.eventId}</code> },
  { name: 'Source', width: 'minmax(90px, 0.8fr)', cell: (row) => row.source },
  { name: 'Type', width: 'minmax(120px, 1fr)', cell: (row) => row.type },
  { name: 'Why', width: 'minmax(220px, 2.5fr)', cell: (row) => (row.reason === undefined ? <span className="muted">–</span> : <span data-tip={row.reason}>{row.reason}</span>) },
  { name: 'Attempt', width: '80px', align: 'end', cell: (row) => row.attempt },
]

const tabs = [
  { id: 'IN_DOUBT', name: 'In doubt', none: 'Nothing is in doubt.', about: 'Nobody knows whether the target has them. They are not sent again until somebody has looked into it and decided.' },
  { id: 'REFUSED', name: 'Refused', none: 'Nothing was refused.', about: 'The target did not want them. Once the cause is removed they can be let go again.' },
  { id: 'FORWARDING', name: 'Under way', none: 'Nothing is under way.', about: 'The request has left, and no answer is there yet.' },
  { id: 'FREE', name: 'Free', none: 'Nothing is free.', about: 'The target has certainly not acted: they are forwarded when they come again.' },
  { id: 'FORWARDED', name: 'Forwarded', none: 'Nothing was forwarded.', about: 'The target has them. Whoever brings one again is told so.' },
  { id: 'ABANDONED', name: 'Abandoned', none: 'Nothing was abandoned.', about: 'They are never forwarded.' },
  { id: 'all', name: 'All', none: 'Nothing has come to this guard.', about: 'Whatever came to this guard, as long as it is remembered.' },
] as const

function Forwards({ name }: { name: string }) {
  const { state = 'IN_DOUBT' } = route.useSearch()
  const navigate = useNavigate()
  return (
    <Section title="What became of the events">
      <Tabs
        label="Events by state"
        open={state}
        onOpen={(open) => {
          const search: GuardSearch = open === 'IN_DOUBT' ? {} : { state: open as NonNullable<GuardSearch['state']> }
          void navigate({ to: '/guards/$name', params: { name }, search })
        }}
        tabs={tabs.map((tab) => ({ id: tab.id, name: tab.name, content: () => <ForwardTable name={name} tab={tab} /> }))}
      />
    </Section>
  )
}

function ForwardTable({ name, tab }: { name: string; tab: (typeof tabs)[number] }) {
  const forwards = useForwards(name, tab.id === 'all' ? undefined : tab.id)
  const navigate = useNavigate()
  return (
    <div className="stack">
      <p className="muted">{tab.about}</p>
      <PagedTable
        label={`Events at the guard: ${tab.name}`}
        columns={columns}
        pages={forwards}
        rowKey={(row) => `${row.eventId ?? ''} ${row.source ?? ''}`}
        onOpen={(row) =>
          void navigate({
            to: '/guards/$name/$eventId',
            params: { name, eventId: row.eventId ?? row.id ?? '' },
            search: row.source === undefined ? {} : { source: row.source },
          })
        }
        empty={<Empty title={tab.none} />}
      />
    </div>
  )
}
