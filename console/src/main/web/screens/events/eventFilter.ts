import type { EventFilter } from '~/api/events'
import type { TailFilter } from '~/api/live'
import { ageBounds, filterValues, parseFilter, type Qualifier } from '~/lib/filter'
import { durationMillis } from '~/lib/format'

interface Completing {
  subscriptions: (begin: string) => Promise<readonly string[]>
  types: () => Promise<readonly string[]>
}

const timeFault = (value: string) => (instant(value) === undefined ? 'write it like 2026-01-31T14:05' : undefined)

/** What one can ask of events. Completion that cannot be had is none: the filter works without it. */
export function eventQualifiers(completing?: Completing): Qualifier[] {
  const none = (): readonly string[] => []
  return [
    { name: 'type', about: 'exactly this, or a pattern with *', values: () => completing?.types().catch(none) ?? Promise.resolve([]) },
    { name: 'sub', about: 'the subscription that wants it', values: (begin) => completing?.subscriptions(begin).catch(none) ?? Promise.resolve([]) },
    { name: 'status', about: 'what has become of it, with sub: for that one', values: ['pending', 'sending', 'held', 'delivered', 'failed', 'discarded'], check: statusFault },
    { name: 'key', about: 'exactly this' },
    { name: 'source', about: 'exactly this, or a pattern with *' },
    { name: 'id', about: 'the event’s id, a UUID or the source’s own; goes with source: alone' },
    {
      name: 'age',
      about: 'younger or older than: <2h, >1d',
      values: ['<5m', '<1h', '<2h', '<1d'],
      check: (value) => (ageBounds(value, 0, durationMillis) === undefined ? 'write it like <2h or >1d' : undefined),
    },
    { name: 'from', about: 'recorded at or after, in your zone unless it names one', check: timeFault },
    { name: 'to', about: 'recorded before, in your zone unless it names one', check: timeFault },
  ]
}

const statuses = ['pending', 'new', 'sending', 'held', 'delivered', 'processed', 'failed', 'discarded']

const statusFault = (value: string) => (statuses.includes(value.toLowerCase()) ? undefined : 'is pending, sending, held, delivered, failed or discarded')

/** A time as people write it: without a zone it is the viewer's, and a date alone begins at its midnight. */
function instant(text: string): string | undefined {
  const match = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text)
  const date = match === null ? undefined : new Date(`${match[1] ?? ''}T${match[2] ?? '00:00'}${match[3] ?? ''}`)
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** What the hub is asked for. */
export function eventFilter(text: string, now: number): EventFilter {
  const { sub, age, from, to, ...rest } = filterValues(parseFilter(text, eventQualifiers())).values
  const first = from === undefined ? undefined : instant(from)
  const last = to === undefined ? undefined : instant(to)
  return {
    ...rest,
    ...(sub === undefined ? {} : { subscription: sub }),
    ...(first === undefined ? {} : { from: first }),
    ...(last === undefined ? {} : { to: last }),
    ...(age === undefined ? {} : ageBounds(age, now, durationMillis)),
  }
}

/** What the stream is asked for, or why it cannot tell of just these events. */
export function tailFilter(filter: EventFilter): { filter: TailFilter } | { why: string } {
  const { type, source, key, subscription, id, status, to } = filter
  if (id !== undefined) {
    return { why: 'An id names what is there already: take id: away to follow what comes.' }
  }
  if (status !== undefined) {
    return { why: 'What has just been recorded has no status yet: take status: away to follow what comes.' }
  }
  if (to !== undefined) {
    return { why: 'The filter ends in the past: take to: or age:> away to follow what comes.' }
  }
  return { filter: { ...(type === undefined ? {} : { type }), ...(source === undefined ? {} : { source }), ...(key === undefined ? {} : { key }), ...(subscription === undefined ? {} : { subscription }) } }
}
