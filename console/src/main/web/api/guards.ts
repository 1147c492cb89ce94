import { useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, hub, type Schema } from './client'
import { usePages } from './pages'

export type Guard = Schema<'GuardAnswer'>
export type Forward = Schema<'ForwardAnswer'>
export type ForwardState = NonNullable<Forward['state']>
export type Decision = NonNullable<Schema<'DecisionRequest'>['decision']>

export function useGuards() {
  return usePages<Guard>({
    key: ['guards'],
    load: (after, signal) => answer(hub.GET('/v1/guards', { params: { query: { after } }, signal })),
  })
}

export function useGuard(name: string) {
  return useQuery({
    queryKey: ['guard', name],
    queryFn: ({ signal }) => answer(hub.GET('/v1/guards/{name}', { params: { path: { name } }, signal })),
    // The stream tells nothing of guards.
    refetchInterval: 10_000,
  })
}

export function useForwards(name: string, state: ForwardState | undefined) {
  return usePages<Forward>({
    key: ['guard', name, 'forwards', state],
    load: (after, signal) =>
      answer(hub.GET('/v1/guards/{name}/forwards', { params: { path: { name }, query: { after, ...(state === undefined ? {} : { state }) } }, signal })),
  })
}

export function useForward(name: string, eventId: string, source: string | undefined) {
  return useQuery({
    queryKey: ['guard', name, 'forward', eventId, source],
    queryFn: ({ signal }) =>
      answer(hub.GET('/v1/guards/{name}/forwards/{eventId}', { params: { path: { name, eventId }, query: source === undefined ? {} : { source } }, signal })),
    // The stream tells nothing of guards.
    refetchInterval: 10_000,
  })
}

export function useDecide() {
  const queries = useQueryClient()
  return async (name: string, eventId: string, source: string | undefined, decision: Decision, reason: string) => {
    const forward = await answer(
      hub.POST('/v1/guards/{name}/forwards/{eventId}/decision', {
        params: { path: { name, eventId }, query: source === undefined ? {} : { source } },
        body: { decision, reason },
      }),
    )
    void queries.invalidateQueries({ queryKey: ['guard'] })
    void queries.invalidateQueries({ queryKey: ['guards'] })
    return forward
  }
}
