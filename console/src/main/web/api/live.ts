import { useEffect, useRef } from 'react'
import { backoff } from '~/lib/backoff'
import { EventStreamParser, type StreamEvent } from '~/lib/eventStream'
import { Store, useStore } from '~/lib/store'
import { callHub } from './client'

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

export type StreamListener = (event: StreamEvent) => void

/** The hub sends a heartbeat at least every 15 s; three of them missing is a dead connection that nobody has closed. */
const silence = 45_000
/** How often a page that polls looks whether the stream is to be had again. */
const whilePolling = 60_000

class LiveStream {
  readonly state = new Store<Liveness>({ mode: 'connecting' })
  private readonly listeners = new Set<StreamListener>()
  private stopped = new AbortController()
  private lastId: string | undefined
  private lastHeard = Date.now()

  /** Called for every event of the stream; `resync` is called when events may have been missed. */
  listen(listener: StreamListener): () => void {
    this.listeners.add(listener)
    return () => {
      this.listeners.delete(listener)
    }
  }

  start(resync: () => void) {
    this.stop()
    this.stopped = new AbortController()
    void this.run(this.stopped.signal, resync)
  }

  stop() {
    this.stopped.abort()
  }

  private async run(stopped: AbortSignal, resync: () => void) {
    let failures = 0
    while (!stopped.aborted) {
      let wait: number
      let away = true
      try {
        const refused = await this.read(stopped, () => {
          // Whatever was missed while it was away is asked for again, unless the stream goes on where it ended.
          if (failures > 0) {
            resync()
          }
          failures = 0
        })
        away = !refused
        wait = refused ? whilePolling : backoff(failures++)
      } catch {
        // A broken connection, a hub that is down, or silence: all of them pass, and are told as "not live since".
        wait = backoff(failures++)
      }
      if (away) {
        this.state.set({ mode: 'away', since: this.lastHeard })
      }
      await pause(wait, stopped)
    }
  }

  /** Reads until the stream ends. True if the hub answered but gave no stream. */
  private async read(stopped: AbortSignal, opened: () => void): Promise<boolean> {
    const broken = new AbortController()
    const signal = AbortSignal.any([stopped, broken.signal])
    const headers: Record<string, string> = { Accept: 'text/event-stream' }
    if (this.lastId !== undefined) {
      headers['Last-Event-ID'] = this.lastId
    }
    const response = await callHub(new Request('/v1/stream', { headers, signal, cache: 'no-store' }))
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

/** How often a query asks by itself: seldom while the stream tells it when to, else as often as the screen needs. */
export function usePollInterval(whenNotLive = 5000): number {
  return useLiveness().mode === 'live' ? 60_000 : whenNotLive
}
