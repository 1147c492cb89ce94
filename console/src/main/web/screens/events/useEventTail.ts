import { useEffect, useMemo, useRef, useState, type RefObject } from 'react'
import type { EventItem, TailedEvent } from '~/api/events'
import { useTail, type TailFilter } from '~/api/live'
import type { Pages } from '~/api/pages'
import { joined, merged } from './tail'

/** What has just been recorded has no status yet; the list is asked what became of it, as seldom as this. */
const askAgainAfter = 2500

interface Tail {
  rows: EventItem[]
  /** Held back, because the reader has scrolled down and would lose the place. */
  waiting: number
  /** The hub tells of so many a second and no more. */
  skipped: number
  show: () => void
}

interface Told {
  of: string | undefined
  shown: TailedEvent[]
  held: TailedEvent[]
  skipped: number
}

/**
 * The events that the stream tells of, before those of the list; undefined: none are followed.
 *
 * @param list what the table is in
 */
export function useEventTail(filter: TailFilter | undefined, events: Pages<EventItem>, list: RefObject<HTMLDivElement | null>): Tail {
  const wanted = filter === undefined ? undefined : JSON.stringify(filter)
  const [told, setTold] = useState<Told>({ of: wanted, shown: [], held: [], skipped: 0 })
  const [newsAt, setNewsAt] = useState(0)
  // Another filter begins anew.
  const current = told.of === wanted ? told : { of: wanted, shown: [], held: [], skipped: 0 }
  if (current !== told) {
    setTold(current)
  }

  const scroller = () => list.current?.querySelector('[role=grid]')

  useTail(filter, ({ events: fresh = [], skipped = 0 }) => {
    if (wanted === undefined) {
      return
    }
    const news = fresh.toReversed()
    const isReading = (scroller()?.scrollTop ?? 0) > 40
    setTold((before) => ({
      of: wanted,
      shown: isReading ? before.shown : joined(news, joined(before.held, before.shown)),
      held: isReading ? joined(news, before.held) : [],
      skipped: before.skipped + skipped,
    }))
    setNewsAt((times) => times + 1)
  })

  const { refetch } = events
  const latest = useRef(refetch)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const onlyFirstPage = events.pageCount <= 1
  useEffect(() => {
    latest.current = refetch
  })
  useEffect(() => {
    if (newsAt > 0 && onlyFirstPage) {
      timer.current ??= setTimeout(() => {
        timer.current = undefined
        latest.current()
      }, askAgainAfter)
    }
  }, [newsAt, onlyFirstPage])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )

  const rows = useMemo(() => merged(current.shown, events.rows), [current.shown, events.rows])
  return {
    rows,
    waiting: current.held.length,
    skipped: current.skipped,
    show: () => {
      setTold((before) => ({ ...before, shown: joined(before.held, before.shown), held: [] }))
      scroller()?.scrollTo({ top: 0 })
    },
  }
}
