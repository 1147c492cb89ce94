import type { ReplayDocument } from '~/api/replays'
import { count } from '~/lib/format'

/** What is selected, in one line. */
export function scopeWords({ id, ids, filter, history }: ReplayDocument): string {
  if (id !== undefined) {
    return `dead letter ${id}`
  }
  if (ids !== undefined) {
    return `${count(ids.length)} dead letters, chosen one by one`
  }
  if (history !== undefined) {
    const { subscriberId = '', eventId, ...rest } = history
    return eventId === undefined ? `events of the log for ${subscriberId}: ${fields(rest)}` : `event ${eventId} for ${subscriberId}`
  }
  const named = fields(filter ?? {})
  return named === '' ? 'all open dead letters' : `open dead letters with ${named}`
}

const fields = (of: object) =>
  Object.entries(of)
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join(', ')
