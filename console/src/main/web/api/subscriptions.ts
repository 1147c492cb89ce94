import { useQuery } from '@tanstack/react-query'
import { answer, hub, type Schema } from './client'
import { usePollInterval } from './live'
import { usePages } from './pages'

export type Subscription = Schema<'SubscriptionAnswer'>

export function useSubscriptions() {
  return usePages<Subscription>({
    key: ['subscriptions'],
    load: (after, signal) => answer(hub.GET('/v1/subscriptions', { params: { query: { after } }, signal })),
  })
}

export function useSubscription(name: string) {
  return useQuery({
    queryKey: ['subscription', name],
    queryFn: ({ signal }) => answer(hub.GET('/v1/subscriptions/{name}', { params: { path: { name } }, signal })),
    refetchInterval: usePollInterval(),
  })
}
