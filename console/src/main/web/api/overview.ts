import { useQuery } from '@tanstack/react-query'
import { answer, hub, type Schema } from './client'
import { usePollInterval } from './live'

export type Overview = Schema<'OverviewAnswer'>
export type SubscriptionLine = Schema<'SubscriptionLine'>
export type Alert = Schema<'Alert'>
export type HubLine = Schema<'HubLine'>
export type Series = Schema<'Series'>

export function useOverview() {
  return useQuery({
    queryKey: ['overview', 'now'],
    queryFn: ({ signal }) => answer(hub.GET('/v1/overview', { signal })),
    refetchInterval: usePollInterval(),
  })
}

/** As many as a screen shows, the worst first; the list of all is the subscriptions' own. */
export function useWorstSubscriptions(limit: number) {
  return useQuery({
    queryKey: ['overview', 'subscriptions', limit],
    queryFn: ({ signal }) =>
      answer(hub.GET('/v1/overview/subscriptions', { params: { query: { sort: 'trouble', limit: String(limit) } }, signal })),
    refetchInterval: usePollInterval(),
  })
}
