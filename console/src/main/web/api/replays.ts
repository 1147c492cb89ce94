import { answer, hub, type Schema } from './client'
import { usePages } from './pages'

export type Replay = Schema<'ReplayAnswer'>

export function useReplays(filter: { state?: string; subscriberId?: string }) {
  return usePages<Replay>({
    key: ['replays', filter],
    load: (after, signal) => answer(hub.GET('/v1/replay', { params: { query: { ...filter, after } }, signal })),
    poll: 3000,
  })
}
