/** Why items were not sent, in words. */
const skipped: Record<string, string> = {
  'already-replaying': 'another replay is sending it already',
  'replay-limit': 'was replayed in vain too often',
  cancelled: 'this replay was cancelled before',
  'subscription-deleted': 'its subscription is gone',
  gone: 'was purged, or dropped from the log',
  discarded: 'was discarded',
}

export const skippedBecause = (reason: string) => skipped[reason] ?? reason

export const sum = (counts: Record<string, number> | undefined) => Object.values(counts ?? {}).reduce((all, one) => all + one, 0)
