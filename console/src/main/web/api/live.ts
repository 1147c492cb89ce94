import { useEffect, useRef } from 'react'
import { backoff } from '~/lib/backoff'
import { EventStreamParser, type StreamEvent } from '~/lib/eventStream'
import { Store, useStore } from '~/lib/store'
import { callHub, type Schema } from './client'

/**
 * Live updates: one stream per page, whatever it shows. While it is open the queries need no polling; when it is refused (too
 * many listeners, a hub without it) they poll; when the hub is away both wait and come back by themselves.
 */
export type Liveness =
  | { mode: 'connecting' }
  | { mode: 'live' }
  /** The hub answers, but has no stream for us. */
  | { mode: 'polling'; why: string }
  /** Nothing newer than this has been seen. */
  | { mode: 'away'; since: number }

export type EventsRecorded = Schema<'EventsRecorded'>

export type StreamListener = (event: StreamEvent) => void

/** The hub sends a heartbeat at least every 15 s; three of them missing is a dead connection that nobody has closed. */
const silence = 45_000
/** How often a page that polls looks whether the stream is to be had again. */
const whilePolling = 60_000

/** Which events are told of as they are recorded; patterns as in the list of events. */
export interface TailFilter {
  type?: string
  source?: string
  key?: string
  subscription?: string
}

class LiveStream {
  readonly state = new Store<Liveness>({ mode: 'connecting' })
  private readonly listeners = new Set<StreamListener>()
  private stopped = new AbortController()
  /** Ends what is under way, the reading or the waiting, and begins again at once. */
  private round = new AbortController()
  private tailing: TailFilter | undefined
  private lastId: string | undefined
  private lastHeard = Date.now()

  /** Called for every event of the stream. */
  listen(listener: StreamListener): () => void {
    this.listeners.add(listener)
    return () => {
      this.listeners.delete(listener)
    }
  }

  /** `resync` is called when the stream is back, since what it would have told may have been missed. */
  start(resync: () => void) {
    this.stop()
    this.stopped = new AbortController()
    void this.run(this.stopped.signal, resync)
  }

  stop() {
    this.stopped.abort()
    this.lastId = undefined
  }

  /** Has the stream tell of events too, of these; undefined: no more. */
  tail(filter: TailFilter | undefined) {
    this.tailing = filter
    this.round.abort()
  }

  /** An answer came by another way than the stream. */
  heard() {
    this.lastHeard = Date.now()
  }

  /** A call did not arrive: look at once, instead of at the next minute, or when the stream's silence has lasted. */
  doubt() {
    if (this.state.get().mode !== 'away') {
      this.round.abort()
    }
  }

  private async run(stopped: AbortSignal, resync: () => void) {
    let failures = 0
    while (!stopped.aborted) {
      this.round = new AbortController()
      const round = AbortSignal.any([stopped, this.round.signal])
      let wait: number
      let away = true
      try {
        const refused = await this.read(round, () => {
          if (failures > 0) {
            resync()
          }
          failures = 0
        })
        away = !refused
        wait = refused ? whilePolling : backoff(failures++)
      } catch {
        if (round.aborted) {
          continue
        }
        // A broken connection, a hub that is down, or silence: all of them pass, and are told as "not live since".
        wait = backoff(failures++)
      }
      if (away) {
        this.state.set({ mode: 'away', since: this.lastHeard })
      }
      await pause(wait, round)
    }
  }

  /** Reads until the stream ends. True if the hub answered but gave no stream. */
  private async read(round: AbortSignal, opened: () => void): Promise<boolean> {
    const broken = new AbortController()
    const headers: Record<string, string> = { Accept: 'text/event-stream' }
    if (this.lastId !== undefined) {
      headers['Last-Event-ID'] = this.lastId
    }
    const signal = AbortSignal.any([round, broken.signal])
    const response = await callHub(new Request(`/v1/stream${topics(this.tailing)}`, { headers, signal, cache: 'no-store' }))
    this.lastHeard = Date.now()
    // What stands between the page and a hub that is away answers 502 and 504 in its stead.
    if (response.status === 502 || response.status === 504) {
      await response.body?.cancel()
      return false
    }
    if (!response.ok || response.body === null) {
      await response.body?.cancel()
      this.state.set({ mode: 'polling', why: whyRefused(response.status) })
      return true
    }
    opened()
    this.state.set({ mode: 'live' })
    const parser = new EventStreamParser()
    const decoder = new TextDecoder()
    let watchdog: ReturnType<typeof setTimeout> | undefined
    try {
      const reader = response.body.getReader()
      for (;;) {
        clearTimeout(watchdog)
        watchdog = setTimeout(() => {
          broken.abort(new Error('nothing was heard for too long'))
        }, silence)
        const { done, value } = await reader.read()
        if (done) {
          return false
        }
        this.lastHeard = Date.now()
        for (const event of parser.take(decoder.decode(value, { stream: true }))) {
          this.lastId = event.id ?? this.lastId
          for (const listener of this.listeners) {
            listener(event)
          }
        }
      }
    } finally {
      clearTimeout(watchdog)
    }
  }
}

function topics(tail: TailFilter | undefined): string {
  return tail === undefined ? '' : `?${new URLSearchParams({ topics: 'overview,subscriptions,dead-letters,replays,events', ...tail }).toString()}`
}

function whyRefused(status: number): string {
  switch (status) {
    case 404:
      return 'this hub has no stream'
    case 429:
    case 503:
      return 'the hub has as many listeners as it takes'
    default:
      return `the hub answered ${status}`
  }
}

function pause(millis: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      stopped.removeEventListener('abort', done)
      removeEventListener('online', done)
      resolve()
    }
    const timer = setTimeout(done, millis)
    stopped.addEventListener('abort', done)
    addEventListener('online', done)
  })
}

export const live = new LiveStream()

export const useLiveness = () => useStore(live.state)

/** Runs for every event of this name, for as long as the component is there. */
export function useStreamEvent(name: string, listener: (event: StreamEvent) => void) {
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(
    () =>
      live.listen((event) => {
        if (event.event === name) {
          latest.current(event)
        }
      }),
    [name],
  )
}

/** Has the stream tell of recorded events for as long as the component is there, and calls for each handful of them. */
export function useTail(filter: TailFilter | undefined, listener: (recorded: EventsRecorded) => void) {
  const wanted = filter === undefined ? undefined : JSON.stringify(filter)
  useEffect(() => {
    if (wanted === undefined) {
      return undefined
    }
    live.tail(JSON.parse(wanted) as TailFilter)
    return () => {
      live.tail(undefined)
    }
  }, [wanted])
  useStreamEvent('events', (event) => {
    listener(JSON.parse(event.data) as EventsRecorded)
  })
}

/** How often a query asks by itself: seldom while the stream tells it when to, else as often as the screen needs. */
export function usePollInterval(whenNotLive = 5000): number {
  return useLiveness().mode === 'live' ? 60_000 : whenNotLive
}
