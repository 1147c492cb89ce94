import { lineSorts, type LineSort } from '~/api/subscriptions'

/** What the URLs of these pages say, beside the name. What they do not know they leave out. */
type Search = Record<string, unknown>

// The router reads ?q=42 as a number.
const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : undefined)

function oneOf<T extends string>(value: unknown, known: readonly T[]): T | undefined {
  return known.find((one) => one === value)
}

export interface ListSearch {
  q?: string
  sort?: LineSort
  troubled?: true
}

export function listOf({ q, sort, troubled }: Search): ListSearch {
  const words = text(q)
  const by = oneOf(sort, lineSorts)
  return {
    ...(words === undefined || words === '' ? {} : { q: words }),
    ...(by === undefined || by === 'trouble' ? {} : { sort: by }),
    ...(troubled === true ? { troubled } : {}),
  }
}

export const openTabs = ['now', 'attempts', 'revisions', 'document'] as const
export const periods = ['1h', '6h', '24h'] as const

export interface OpenSearch {
  tab?: (typeof openTabs)[number]
  period?: (typeof periods)[number]
  revision?: number
}

export function openOf({ tab, period, revision }: Search): OpenSearch {
  const open = oneOf(tab, openTabs)
  const span = oneOf(period, periods)
  return {
    ...(open === undefined || open === 'now' ? {} : { tab: open }),
    ...(span === undefined || span === '1h' ? {} : { period: span }),
    ...(typeof revision === 'number' ? { revision } : {}),
  }
}

export const outcomes = ['failed', 'DELIVERED', 'RETRY', 'REJECT', 'UNAVAILABLE'] as const

export interface AttemptsSearch {
  outcome?: (typeof outcomes)[number]
}

export function attemptsOf({ outcome }: Search): AttemptsSearch {
  const known = oneOf(outcome, outcomes)
  return known === undefined ? {} : { outcome: known }
}

export interface WritingSearch {
  as?: 'json'
}

export function writingOf({ as }: Search): WritingSearch {
  return as === 'json' ? { as } : {}
}
