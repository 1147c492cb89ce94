import type { SubscriptionLine } from '~/api/overview'
import type { Tone } from '~/components/Status'

interface Standing {
  tone: Tone
  word: string
  /** What it means, and the reason that the hub gives. */
  tip?: string
}

/** The state of a subscription in a word: the worst of what is the matter with it. */
export function standing(line: SubscriptionLine): Standing {
  switch (line.trouble) {
    case 'not-served': {
      const missing = (line.lanes ?? 0) - (line.ownedLanes ?? 0)
      return { tone: 'bad', word: 'nobody delivers', tip: `${missing} of its ${line.lanes ?? 0} lanes have no owner.` }
    }
    case 'denial':
      return { tone: 'bad', word: 'denied', tip: reason('Its receiver answers and refuses everything', line.denial?.reason) }
    case 'breaker-open':
      return { tone: 'bad', word: 'breaker open', tip: reason('Its receiver is not reached or does not answer', line.breaker?.reason) }
    case 'dead-letters':
      return { tone: 'warn', word: 'dead letters', tip: 'Some events could not be delivered; somebody has to decide about them.' }
    case 'old-backlog':
      return { tone: 'warn', word: 'late', tip: 'Its oldest event has waited for more than five minutes.' }
    case 'retries':
      return { tone: 'warn', word: 'many retries', tip: 'More than a tenth of its attempts fail.' }
    case 'paused':
      return { tone: 'off', word: 'paused', tip: 'Nothing is sent until it is resumed.' }
    case undefined:
      return { tone: 'ok', word: 'well' }
  }
}

const reason = (what: string, why: string | undefined) => (why === undefined ? `${what}.` : `${what}: ${why}`)

/** Counts of each step as events a second. */
export const perSecond = (counts: readonly number[] | undefined, stepSeconds: number) => (counts ?? []).map((one) => one / stepSeconds)

/** The last hour of a subscription in words, for those who cannot see the line. */
export function trendInWords(delivered: readonly number[], failed: readonly number[]): string {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  return `${sum(delivered)} delivered and ${sum(failed)} failed attempts in the last hour, ${delivered.at(-1) ?? 0} delivered in the last minute`
}
