import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useSubscriptionLines, type LineSort, type SubscriptionLine } from '~/api/subscriptions'
import { ActionButton } from '~/components/Button'
import { PagedTable, type Column } from '~/components/DataTable'
import { Page } from '~/components/Page'
import { Sparkline } from '~/components/Sparkline'
import { Empty } from '~/components/states'
import { count, duration, durationMillis, percent, rate } from '~/lib/format'
import { listOf, type ListSearch } from './search'
import { Health } from './trouble'
import './subscriptions.css'

const route = getRouteApi('/subscriptions')

const nothing = <span className="muted">–</span>

const some = (value: number | undefined) => (value === undefined || value === 0 ? nothing : count(value))

/** The API's duration in a person's words. */
function Span({ text }: { text: string | undefined }) {
  const millis = text === undefined ? undefined : durationMillis(text)
  return millis === undefined ? nothing : duration(millis)
}

const columns: Column<SubscriptionLine>[] = [
  { name: 'Name', width: 'minmax(170px, 1.6fr)', sort: 'name', cell: (row) => <span data-tip={(row.name?.length ?? 0) > 30 ? row.name : undefined}>{row.name}</span> },
  { name: 'Health', width: '135px', sort: 'trouble', cell: (row) => <Health line={row} /> },
  {
    name: 'Delivered',
    width: '100px',
    align: 'end',
    sort: 'rate',
    cell: (row) => (row.servedBy === 'application' ? <span className="muted" data-tip="An application’s own relay serves it; the hub does not count what that delivers.">not counted</span> : rate(row.deliveredPerSecond ?? 0)),
  },
  {
    name: 'Last hour',
    width: '120px',
    cell: (row) => <Sparkline values={row.deliveredPerMinute ?? []} label={`Delivered a minute over the last hour, ${count(row.deliveredPerMinute?.at(-1) ?? 0)} in the newest`} />,
  },
  { name: 'Failing', width: '80px', align: 'end', cell: (row) => (row.errorRate === undefined || row.errorRate === 0 ? nothing : percent(row.errorRate)) },
  { name: 'Pending', width: '95px', align: 'end', cell: (row) => (row.pending?.count ? `${row.pending.exact === false ? '≈ ' : ''}${count(row.pending.count)}` : nothing) },
  { name: 'Oldest', width: '100px', align: 'end', cell: (row) => <Span text={row.oldestAge} /> },
  { name: 'Dead letters', width: '120px', align: 'end', cell: (row) => some(row.deadLetters) },
  { name: 'Sink', width: '95px', cell: (row) => row.sink ?? row.servedBy ?? nothing },
]

export function SubscriptionsScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { q = '', sort = 'trouble', troubled = false } = search
  const lines = useSubscriptionLines({ ...(q === '' ? {} : { search: q }), sort, troubled })
  const change = (next: { q?: string; sort?: LineSort; troubled?: boolean }, replace = false) =>
    void navigate({ search: listOf({ ...search, ...next } satisfies Record<keyof ListSearch, unknown> | object), replace })
  const filtered = q !== '' || troubled
  return (
    <Page
      title="Subscriptions"
      actions={
        <ActionButton action="subscription.create" look="primary" onClick={() => void navigate({ to: '/subscriptions/-/new' })}>
          New subscription
        </ActionButton>
      }
    >
      <div className="row subscriptions-tools" role="search" aria-label="Subscriptions">
        <NameSearch value={q} onChange={(next) => { change({ q: next }, true) }} />
        <label className="row">
          <span className="muted">Sort by</span>
          <select className="input subscriptions-sort" value={sort} onChange={(event) => { change({ sort: event.target.value as LineSort }) }}>
            <option value="trouble">trouble, the worst first</option>
            <option value="name">name</option>
            <option value="rate">rate, the busiest first</option>
          </select>
        </label>
        <label className="row">
          <input type="checkbox" checked={troubled} onChange={(event) => { change({ troubled: event.target.checked }) }} />
          Only those in trouble
        </label>
      </div>
      <PagedTable
        label="Subscriptions"
        columns={columns}
        pages={lines}
        rowKey={(row) => row.name ?? ''}
        sorting={{ by: sort, change: (by) => { change({ sort: by as LineSort }) } }}
        onOpen={(row) => void navigate({ to: '/subscriptions/$name', params: { name: row.name ?? '' } })}
        empty={
          filtered ? (
            <Empty title={troubled ? 'None of them is in trouble.' : 'No name holds this.'}>
              <p>{q === '' ? 'All subscriptions are well.' : `Names that hold “${q}” are looked for, in whatever case.`}</p>
            </Empty>
          ) : (
            <Empty title="No subscription yet.">
              <p>A subscription says who gets which events, and how. Events are recorded without one, but nobody gets them.</p>
            </Empty>
          )
        }
      />
    </Page>
  )
}

/** Asks when typing has paused: each of its words is a question to the hub. */
function NameSearch({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value)
  const [shown, setShown] = useState(value)
  if (shown !== value) {
    setShown(value)
    setText(value)
  }
  useEffect(() => {
    if (text === value) {
      return undefined
    }
    const timer = setTimeout(() => {
      onChange(text)
    }, 250)
    return () => {
      clearTimeout(timer)
    }
  })
  return (
    <input
      type="search"
      className="input subscriptions-search"
      aria-label="Part of the name"
      placeholder="Part of the name"
      value={text}
      onChange={(event) => {
        setText(event.target.value)
      }}
    />
  )
}
