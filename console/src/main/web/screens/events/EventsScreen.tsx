import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useRef } from 'react'
import { useEvents, useEventCompletions, type EventItem } from '~/api/events'
import { Button } from '~/components/Button'
import { PagedTable } from '~/components/DataTable'
import { FilterBar } from '~/components/FilterBar'
import { Page } from '~/components/Page'
import { Empty } from '~/components/states'
import { useAskedAt } from '~/lib/clock'
import { count } from '~/lib/format'
import { eventColumns } from './columns'
import { eventFilter, eventQualifiers, tailFilter } from './eventFilter'
import { TailNote } from './TailNote'
import { useEventTail } from './useEventTail'
import './events.css'

const route = getRouteApi('/events')

export function EventsScreen() {
  const { q = '', tail = false } = route.useSearch()
  const navigate = route.useNavigate()
  const completing = useEventCompletions()
  const qualifiers = useMemo(() => eventQualifiers(completing), [completing])
  // An age counts from when it was asked for, and not anew with every look.
  const asked = useAskedAt(q)
  const filter = useMemo(() => eventFilter(q, asked), [q, asked])
  const events = useEvents(filter)
  const followed = tailFilter(filter)
  const list = useRef<HTMLDivElement>(null)
  const news = useEventTail(tail && 'filter' in followed ? followed.filter : undefined, events, list)
  const pages = { ...events, rows: news.rows }

  const open = (row: EventItem) => {
    void navigate({ to: '/events/$id', params: { id: row.id ?? '' } })
  }
  return (
    <Page
      title="Events"
      actions={
        <Button
          aria-pressed={tail}
          look={tail ? 'primary' : 'plain'}
          why={'why' in followed ? followed.why : undefined}
          onClick={() => void navigate({ search: { ...(q === '' ? {} : { q }), ...(tail ? {} : { tail: true as const }) }, replace: true })}
        >
          Live tail
        </Button>
      }
    >
      <FilterBar
        label="Filter events"
        qualifiers={qualifiers}
        value={q}
        onChange={(next) => void navigate({ search: { ...(next === '' ? {} : { q: next }), ...(tail ? { tail: true as const } : {}) } })}
      />
      {tail && <TailNote why={'why' in followed ? followed.why : undefined} skipped={news.skipped} />}
      <div className="events-list" ref={list}>
        {news.waiting > 0 && (
          <p className="events-waiting" role="status">
            <Button look="primary" onClick={news.show}>
              {count(news.waiting)} new above
            </Button>
          </p>
        )}
        <PagedTable
          label="Events"
          columns={eventColumns}
          pages={pages}
          rowKey={(row) => row.id ?? ''}
          onOpen={open}
          empty={
            <Empty title={q === '' ? 'No event has been recorded.' : 'No event matches.'}>
              <p>
                {q === ''
                  ? 'They appear here as soon as an application publishes or records one.'
                  : 'The log keeps events for a while only, and longer those that wait or are dead letters; what is older is gone.'}
              </p>
              {q !== '' && <Button onClick={() => void navigate({ search: tail ? { tail: true } : {} })}>Show all events</Button>}
            </Empty>
          }
        />
      </div>
    </Page>
  )
}
