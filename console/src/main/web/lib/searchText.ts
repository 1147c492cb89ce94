/** What of the URL's search a list reads: its filter as text. Anything else that stands there is left out. */
export interface FilterSearch {
  q?: string
}

export function filterSearch(search: Record<string, unknown>): FilterSearch {
  const { q } = search
  // The router reads ?q=42 as a number.
  return typeof q === 'string' || typeof q === 'number' ? { q: String(q) } : {}
}
