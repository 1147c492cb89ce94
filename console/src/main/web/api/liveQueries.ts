import type { QueryClient, QueryKey } from '@tanstack/react-query'
import type { StreamEvent } from '~/lib/eventStream'

/**
 * Which queries an event of the stream makes old. Only those that are on the screen are asked again, and each at most once while
 * an answer is on its way.
 */
const outdated: Record<string, QueryKey[]> = {
  overview: [['overview']],
  subscriptions: [['overview'], ['subscriptions'], ['subscription']],
  'dead-letters': [['dead-letters'], ['dead-letter']],
  replay: [['replays'], ['replay']],
}

export function invalidateFor(queries: QueryClient, event: StreamEvent) {
  for (const queryKey of outdated[event.event] ?? []) {
    void queries.invalidateQueries({ queryKey }, { cancelRefetch: false })
  }
}
