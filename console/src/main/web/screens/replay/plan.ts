import type { ReplayDocument } from '~/api/replays'
import { deadLetterFilter } from '~/lib/deadLetterFilter'
import { instantOf } from '~/lib/instants'

const fields = ['q', 'ids', 'sub', 'from', 'to', 'types', 'aggregate', 'key', 'event', 'canary', 'rate', 'inFlight', 'stop'] as const
type Field = (typeof fields)[number]

/** The whole plan stands in the address, so that reload and back keep it, and one can send it to a colleague. */
export type PlanSearch = {
  step?: 'plan' | 'confirm'
  /** Dead letters that a filter finds unless it says another. */
  scope?: 'letters' | 'ids' | 'history'
  /** What comes after the canary; somebody has to let the others go unless it says so. */
  then?: 'go-on'
} & Partial<Record<Field, string>>

const oneOf = <T extends string>(value: unknown, ...values: T[]): T | undefined => values.find((one) => one === value)

export function planSearch(search: Record<string, unknown>): PlanSearch {
  const plan: PlanSearch = {}
  for (const field of fields) {
    const value = search[field]
    // The router reads ?ids=42 as a number.
    if (typeof value === 'string' || typeof value === 'number') {
      plan[field] = String(value)
    }
  }
  const step = oneOf(search['step'], 'plan', 'confirm')
  const scope = oneOf(search['scope'], 'letters', 'ids', 'history')
  return {
    ...plan,
    ...(step === undefined ? {} : { step }),
    ...(scope === undefined ? {} : { scope }),
    ...(search['then'] === 'go-on' ? { then: 'go-on' } : {}),
  }
}

/** What is wrong with a field, by its name. */
export type Faults = Partial<Record<Field, string>>

const given = (text: string | undefined): text is string => text !== undefined && text.trim() !== ''
const words = (text: string | undefined) => (text ?? '').split(/[\s,]+/).filter((word) => word !== '')

export function scopeFaults(plan: PlanSearch): Faults {
  if (plan.scope === 'ids') {
    return words(plan.ids).every((id) => /^\d{1,15}$/.test(id)) && given(plan.ids) ? {} : { ids: 'must be the numbers of dead letters' }
  }
  if (plan.scope !== 'history') {
    return {}
  }
  const faults: Faults = {}
  if (!given(plan.sub)) {
    faults.sub = 'is missing: a history is sent to one subscription'
  }
  if (given(plan.event)) {
    return faults
  }
  const [from, to] = [instantOf(plan.from ?? ''), instantOf(plan.to ?? '')]
  if (from === undefined) {
    faults.from = given(plan.from) ? 'is no time' : 'is missing'
  }
  if (to === undefined) {
    faults.to = given(plan.to) ? 'is no time' : 'is missing'
  } else if (from !== undefined && to <= from) {
    faults.to = 'must be later than the beginning'
  }
  return faults
}

/** The selection; undefined as long as it is not one. */
export function scopeDocument(plan: PlanSearch, now: number): ReplayDocument | undefined {
  if (Object.keys(scopeFaults(plan)).length > 0) {
    return undefined
  }
  if (plan.scope === 'ids') {
    const ids = words(plan.ids).map(Number)
    const [only] = ids
    return ids.length === 1 && only !== undefined ? { id: only } : { ids }
  }
  if (plan.scope !== 'history') {
    return { filter: deadLetterFilter(plan.q ?? '', now) }
  }
  const subscriberId = (plan.sub ?? '').trim()
  if (given(plan.event)) {
    return { history: { subscriberId, eventId: plan.event.trim() } }
  }
  const from = instantOf(plan.from ?? '')
  const to = instantOf(plan.to ?? '')
  const types = words(plan.types)
  return from === undefined || to === undefined
    ? undefined
    : {
        history: {
          subscriberId,
          from,
          to,
          ...(types.length === 0 ? {} : { types }),
          ...(given(plan.aggregate) ? { aggregateType: plan.aggregate.trim() } : {}),
          ...(given(plan.key) ? { key: plan.key } : {}),
        },
      }
}

const wholeAbove0 = (text: string) => /^[1-9]\d{0,8}$/.test(text)

export function rateOf(text: string): number | undefined {
  const rate = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN
  return rate > 0 ? rate : undefined
}

export function paceFaults(plan: Pick<PlanSearch, 'rate' | 'inFlight'>): Faults {
  return {
    ...(given(plan.rate) && rateOf(plan.rate) === undefined ? { rate: 'must be a number above 0' } : {}),
    ...(given(plan.inFlight) && !wholeAbove0(plan.inFlight) ? { inFlight: 'must be a whole number above 0' } : {}),
  }
}

export function planFaults(plan: PlanSearch): Faults {
  const stop = given(plan.stop) ? Number(plan.stop) : 0
  return {
    ...paceFaults(plan),
    ...(given(plan.canary) && !wholeAbove0(plan.canary) ? { canary: 'must be a whole number above 0' } : {}),
    ...(stop >= 0 && stop <= 100 ? {} : { stop: 'must be a share from 0 to 100 %' }),
  }
}

/** How it is sent: goes beside the selection. */
export function planDocument(plan: PlanSearch): Omit<ReplayDocument, 'id' | 'ids' | 'filter' | 'history'> {
  return {
    ...(given(plan.canary) ? { canary: { count: Number(plan.canary), then: plan.then ?? 'wait' } } : {}),
    ...(given(plan.rate) ? { ratePerSecond: Number(plan.rate) } : {}),
    ...(given(plan.inFlight) ? { maxInFlight: Number(plan.inFlight) } : {}),
    ...(given(plan.stop) ? { stopAtFailureRate: Number(plan.stop) / 100 } : {}),
  }
}
