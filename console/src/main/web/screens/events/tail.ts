import type { EventItem, TailedEvent } from '~/api/events'

/** So many are kept on the page; who wants older ones has the list. */
export const most = 1000

/** The newest first, each once. */
export function joined(news: readonly TailedEvent[], before: readonly TailedEvent[]): TailedEvent[] {
  const seen = new Set<string>()
  return [...news, ...before].filter((one) => {
    const id = one.id ?? ''
    const fresh = !seen.has(id)
    seen.add(id)
    return fresh
  }).slice(0, most)
}

/** What the stream told before the list; the list knows what has become of them. */
export function merged(tailed: readonly TailedEvent[], listed: readonly EventItem[]): EventItem[] {
  if (tailed.length === 0) {
    return listed as EventItem[]
  }
  const known = new Map(listed.map((one) => [one.id, one]))
  const told = new Set(tailed.map((one) => one.id))
  return [...tailed.map((one) => known.get(one.id) ?? one), ...listed.filter((one) => !told.has(one.id))]
}
