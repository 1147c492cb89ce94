import { useLiveness } from '~/api/live'
import { Shape } from '~/components/Status'
import { count } from '~/lib/format'

/** Whether events appear as they are recorded, and what is missing. */
export function TailNote({ why, skipped }: { why: string | undefined; skipped: number }) {
  const now = useLiveness()
  const { tone, text } = (() => {
    if (why !== undefined) {
      return { tone: 'idle' as const, text: `Not followed. ${why}` }
    }
    switch (now.mode) {
      case 'live':
        return { tone: 'ok' as const, text: 'Events appear here as they are recorded.' }
      case 'connecting':
        return { tone: 'busy' as const, text: 'Connecting …' }
      case 'polling':
        return { tone: 'idle' as const, text: `The list is asked for every five seconds: ${now.why}.` }
      case 'away':
        return { tone: 'bad' as const, text: 'The hub cannot be reached. What it records meanwhile is in the list when it is back.' }
    }
  })()
  return (
    <p className="events-tail" role="status">
      <Shape tone={tone} />
      <span>
        {text}
        {skipped > 0 && ` ${count(skipped)} came faster than the hub tells of them and were left out here; the list has all.`}
      </span>
    </p>
  )
}
