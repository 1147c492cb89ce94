import { useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, hub, type Schema } from './client'
import { usePollInterval } from './live'
import { usePages } from './pages'

export type Replay = Schema<'ReplayAnswer'>
export type ReplayPreview = Schema<'PreviewAnswer'>
export type ReplayItem = Schema<'ItemAnswer'>
export type ReplayDocument = Schema<'ReplayDocument'>

export function useReplays(filter: { state?: string; subscriberId?: string }) {
  return usePages<Replay>({
    key: ['replays', filter],
    load: (after, signal) => answer(hub.GET('/v1/replay', { params: { query: { ...filter, after } }, signal })),
    poll: 3000,
  })
}

const over = new Set(['FINISHED', 'CANCELLED'])

export function useReplay(id: string) {
  const interval = usePollInterval(2000)
  return useQuery({
    queryKey: ['replay', id],
    queryFn: ({ signal }) => answer(hub.GET('/v1/replay/{id}', { params: { path: { id } }, signal })),
    // While it runs its counters move with every delivery, more often than the stream tells.
    refetchInterval: ({ state }) => (over.has(state.data?.state ?? '') ? false : state.data?.state === 'RUNNING' ? 2000 : interval),
  })
}

export function useReplayItems(id: string, outcome: 'failed' | 'skipped') {
  return usePages<ReplayItem>({
    key: ['replay', id, 'items', outcome],
    load: (after, signal) => answer(hub.GET('/v1/replay/{id}/items', { params: { path: { id }, query: { outcome, after } }, signal })),
  })
}

/** What a replay would send now: counted by what freezes its set. */
export function useReplayPreview(document: ReplayDocument | undefined) {
  return useQuery({
    queryKey: ['replay-preview', document],
    queryFn: async ({ signal }) => {
      const preview: ReplayPreview = await answer(hub.POST('/v1/replay', { body: { ...document, dryRun: true }, signal }))
      return preview
    },
    enabled: document !== undefined,
    gcTime: 0,
  })
}

/** Null takes a limit away. */
export interface Pace {
  ratePerSecond: number | null
  maxInFlight: number | null
}

export function useReplayDeeds() {
  const queries = useQueryClient()
  const kept = (replay: Replay) => {
    queries.setQueryData(['replay', String(replay.id)], replay)
    void queries.invalidateQueries({ queryKey: ['replays'] })
    void queries.invalidateQueries({ queryKey: ['dead-letters'] })
    return replay
  }
  return {
    start: async (document: ReplayDocument): Promise<Replay> => kept(await answer<Replay>(hub.POST('/v1/replay', { body: document }))),
    pause: async (id: string, reason: string) =>
      kept(await answer(hub.POST('/v1/replay/{id}/pause', { params: { path: { id } }, body: reason === '' ? {} : { reason } }))),
    resume: async (id: string) => kept(await answer(hub.POST('/v1/replay/{id}/resume', { params: { path: { id } } }))),
    cancel: async (id: string, reason: string) =>
      kept(await answer(hub.POST('/v1/replay/{id}/cancel', { params: { path: { id } }, body: reason === '' ? {} : { reason } }))),
    // The document has no null in its types, which takes a limit away.
    pace: async (id: string, pace: Pace) => kept(await answer(hub.PATCH('/v1/replay/{id}', { params: { path: { id } }, body: pace as Schema<'PaceDocument'> }))),
  }
}
