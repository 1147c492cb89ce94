import type { EventDetail, SubscriptionItem } from '~/api/events'
import type { Tone } from '~/components/Status'

type Attempt = NonNullable<SubscriptionItem['made']>[number]

/** What happened to an event at one time, or is to happen. */
export interface Chapter {
  at: string | undefined
  tone: Tone
  what: string
  detail?: string
  attempt?: Attempt
  /** It has not happened yet. */
  ahead?: boolean
}

const attempts: Record<string, { tone: Tone; word: string }> = {
  DELIVERED: { tone: 'ok', word: 'delivered' },
  RETRY: { tone: 'warn', word: 'failed, may be tried again' },
  REJECT: { tone: 'bad', word: 'refused for good' },
  UNAVAILABLE: { tone: 'warn', word: 'receiver not available' },
}

export const outcome = (of: string | undefined) => attempts[of ?? ''] ?? { tone: 'idle' as const, word: (of ?? 'no answer is known').toLowerCase() }

/** What happened before any subscription came to it. */
export function beginning(event: EventDetail, now: number): Chapter[] {
  const chapters: Chapter[] = []
  if (event.occurredAt !== undefined) {
    chapters.push({ at: event.occurredAt, tone: 'idle', what: 'Occurred', detail: 'as its publisher says' })
  }
  chapters.push({ at: event.recordedAt, tone: 'ok', what: 'Recorded', detail: 'the transaction that published it was committed; from here on it is not lost' })
  if (event.deliverAt !== undefined) {
    const ahead = Date.parse(event.deliverAt) > now
    chapters.push({ at: event.deliverAt, tone: ahead ? 'busy' : 'idle', what: ahead ? 'To be delivered from then on' : 'Due', detail: 'not before this time, as its publisher asked', ahead })
  }
  return chapters
}

/** What one subscription made of it, from its first attempt to how it stands. */
export function chapters(item: SubscriptionItem): Chapter[] {
  const made = item.made ?? []
  const told: Chapter[] = []
  const missing = (item.attempts ?? 0) - made.length
  const ended = made.at(-1)?.outcome === 'DELIVERED'
  if (missing > 0 && !(item.status === 'DELIVERED' && made.length === 0)) {
    told.push({ at: undefined, tone: 'idle', what: missing === 1 ? 'One attempt without a record' : `${missing} attempts without a record`, detail: 'the oldest records go first, and one that is on its way has none yet' })
  }
  for (const attempt of made) {
    const { tone, word } = outcome(attempt.outcome)
    told.push({ at: attempt.startedAt, tone, what: `Attempt ${attempt.number ?? ''} · ${word}`, attempt })
  }
  const last = standing(item, ended)
  return last === undefined ? told : [...told, last]
}

function standing(item: SubscriptionItem, ended: boolean): Chapter | undefined {
  switch (item.status) {
    case 'DELIVERED':
      return ended
        ? undefined
        : { at: item.deliveredAt, tone: 'ok', what: 'Delivered', ...((item.made ?? []).length === 0 ? { detail: 'at the first attempt, of which no record is kept unless the subscription keeps all' } : {}) }
    case 'SENDING':
      return { at: item.lastStatusAt, tone: 'busy', what: 'Being sent' }
    case 'HELD':
      return { at: item.lastStatusAt, tone: 'warn', what: 'Held', detail: 'an earlier event of its key has not been delivered; it follows as soon as that one is through' }
    case 'FAILED':
      return { at: item.lastFailedAt ?? item.lastStatusAt, tone: 'bad', what: 'Became a dead letter', detail: 'nothing is tried any more until somebody replays or discards it' }
    case 'DISCARDED':
      return { at: item.lastStatusAt, tone: 'off', what: 'Discarded', detail: 'somebody decided that it is not to be sent; the audit says who' }
    case 'PENDING':
      return item.nextAttemptAt === undefined
        ? { at: undefined, tone: 'idle', what: 'Waits for its turn', ahead: true }
        : { at: item.nextAttemptAt, tone: 'busy', what: (item.attempts ?? 0) > 0 ? 'Next attempt' : 'First attempt', detail: 'not before this time', ahead: true }
    case undefined:
      return undefined
  }
}

export interface Mark {
  tone: Tone
  /** Thousandths of the whole time. */
  from: number
  width: number
}

/** The attempts of one subscription along the time that all of them took together. */
export function marks(item: SubscriptionItem, from: number, to: number): Mark[] {
  const whole = Math.max(to - from, 1)
  return (item.made ?? []).map((attempt) => {
    const begun = Math.min(Math.max((Date.parse(attempt.startedAt ?? '') - from) / whole, 0), 1)
    const took = Math.min((attempt.tookMillis ?? 0) / whole, 1 - begun)
    const width = Math.max(Math.round(took * 1000), 6)
    return { tone: outcome(attempt.outcome).tone, from: Math.min(Math.round(begun * 1000), 1000 - width), width }
  })
}

/** When the last attempt of any subscription was over; undefined without attempts. */
export function lastEnd(items: readonly SubscriptionItem[]): number | undefined {
  const ends = items.flatMap((item) => (item.made ?? []).map((attempt) => Date.parse(attempt.startedAt ?? '') + (attempt.tookMillis ?? 0)))
  return ends.length === 0 ? undefined : Math.max(...ends)
}

const severity = ['FAILED', 'HELD', 'SENDING', 'PENDING', 'DISCARDED', 'DELIVERED']

/** The worst first, since that is what one has come for. */
export const byTrouble = (items: readonly SubscriptionItem[]) =>
  items.toSorted((one, other) => severity.indexOf(one.status ?? '') - severity.indexOf(other.status ?? '') || (one.subscription ?? '').localeCompare(other.subscription ?? ''))
