import type { SubscriptionLine } from '~/api/subscriptions'
import { Badge, type Tone } from '~/components/Status'

type Trouble = NonNullable<SubscriptionLine['trouble']>

export const troubles: Record<Trouble, { tone: Tone; word: string; about: string }> = {
  'not-served': { tone: 'bad', word: 'not served', about: 'No process delivers all of it: some of its lanes have no owner.' },
  denial: { tone: 'bad', word: 'refuses all', about: 'The receiver answers, but refuses everything. One event at a time is tried until one is taken.' },
  'breaker-open': { tone: 'bad', word: 'not reached', about: 'The receiver cannot be reached. It is probed until it can.' },
  'dead-letters': { tone: 'warn', word: 'dead letters', about: 'Events were given up, and wait for somebody to decide.' },
  'old-backlog': { tone: 'warn', word: 'behind', about: 'Its oldest event waits for longer than it should.' },
  retries: { tone: 'warn', word: 'retrying', about: 'Many of its attempts fail, and are made again.' },
  paused: { tone: 'off', word: 'paused', about: 'Nothing is sent until somebody resumes it. Nothing is lost.' },
}

/** The worst that is wrong with it, in a word; the tip says what that means, and why. */
export function Health({ line }: { line: SubscriptionLine }) {
  if (line.trouble === undefined) {
    return <Badge tone="ok">fine</Badge>
  }
  const { tone, word, about } = troubles[line.trouble]
  const why = line.trouble === 'denial' ? line.denial?.reason : line.trouble === 'breaker-open' ? line.breaker?.reason : undefined
  return (
    <Badge tone={tone} tip={why === undefined ? about : `${about} ${why}`}>
      {word}
    </Badge>
  )
}
