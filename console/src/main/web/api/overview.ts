import { useQuery } from '@tanstack/react-query'
import { answer, hub, type Schema } from './client'
import { usePollInterval } from './live'

export type HubStatus = Schema<'HubStatus'>
export type SubscriptionState = Schema<'SubscriptionState'>

export function useStatus() {
  return useQuery({
    queryKey: ['overview', 'status'],
    queryFn: ({ signal }) => answer(hub.GET('/v1/status', { signal })),
    refetchInterval: usePollInterval(),
  })
}
