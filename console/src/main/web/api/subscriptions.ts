import { useQuery } from '@tanstack/react-query'
import { answer, hub, type Schema } from './client'
import { usePollInterval } from './live'
import { usePages } from './pages'

export type Subscription = Schema<'SubscriptionAnswer'>
export type SubscriptionLine = Schema<'SubscriptionLine'>
export type Attempt = Schema<'AttemptLine'>
export type Revision = Schema<'RevisionAnswer'>
export type Series = Schema<'Series'>
export type MatchAnswer = Schema<'MatchAnswer'>
export type CheckAnswer = Schema<'CheckAnswer'>

export function useSubscriptions() {
  return usePages<Subscription>({
    key: ['subscriptions'],
    load: (after, signal) => answer(hub.GET('/v1/subscriptions', { params: { query: { after } }, signal })),
  })
}

export const lineSorts = ['trouble', 'name', 'rate'] as const
export type LineSort = (typeof lineSorts)[number]

/** How each subscription does, from the figures the hub reads every few seconds: cheap, however many there are. */
export function useSubscriptionLines(filter: { search?: string; sort: LineSort; troubled: boolean }) {
  const { search, sort, troubled } = filter
  const query = { sort, troubled: String(troubled), limit: '200', ...(search === undefined ? {} : { search }) }
  return usePages<SubscriptionLine>({
    key: ['overview', 'subscription-list', query],
    load: (after, signal) => answer(hub.GET('/v1/overview/subscriptions', { params: { query: { ...query, after } }, signal })),
    poll: 5000,
  })
}

/** The same of one. Undefined within the data: the hub has no figures of it yet. */
export function useSubscriptionLine(name: string) {
  return useQuery({
    queryKey: ['overview', 'subscription', name],
    queryFn: async ({ signal }) => {
      const query = { search: name, sort: 'name', limit: '1000' }
      const page = await answer(hub.GET('/v1/overview/subscriptions', { params: { query }, signal }))
      return { line: page.items?.find((line) => line.name === name), readAt: page.readAt }
    },
    refetchInterval: usePollInterval(),
  })
}

export function useSubscription(name: string) {
  return useQuery({
    queryKey: ['subscription', name],
    queryFn: ({ signal }) => answer(hub.GET('/v1/subscriptions/{name}', { params: { path: { name } }, signal })),
    refetchInterval: usePollInterval(),
  })
}

export function useSeries(name: string, period: string) {
  return useQuery({
    queryKey: ['overview', 'series', name, period],
    queryFn: ({ signal }) => answer(hub.GET('/v1/subscriptions/{name}/series', { params: { path: { name }, query: { period } }, signal })),
    refetchInterval: usePollInterval(10_000),
  })
}

export function useAttempts(name: string, outcome: string | undefined) {
  return usePages<Attempt>({
    key: ['subscription', name, 'attempts', outcome],
    load: (after, signal) => {
      const query = { after, ...(outcome === undefined ? {} : { outcome }) }
      return answer(hub.GET('/v1/subscriptions/{name}/attempts', { params: { path: { name }, query }, signal }))
    },
  })
}

export function useRevisions(name: string) {
  return usePages<Revision>({
    key: ['subscription', name, 'revisions'],
    load: (after, signal) => answer(hub.GET('/v1/subscriptions/{name}/revisions', { params: { path: { name }, query: { after } }, signal })),
    poll: 60_000,
  })
}

/** Which of the newest events a filter would want. `filter` is the text of the document's part, which is the key too. */
export function useMatch(filter: string) {
  return useQuery({
    queryKey: ['subscription-match', filter],
    queryFn: ({ signal }) => answer(hub.POST('/v1/subscriptions/match', { body: { filter: JSON.parse(filter) as Schema<'FilterDocument'> }, signal })),
    placeholderData: (before) => before,
    refetchInterval: false,
  })
}

/** Whether the hub would take it. `document` is its text, with the name. Nothing is stored. */
export function useCheck(document: string, enabled: boolean) {
  return useQuery({
    queryKey: ['subscription-check', document],
    queryFn: ({ signal }) => answer(hub.POST('/v1/subscriptions/check', { body: JSON.parse(document) as Schema<'NamedSubscription'>, signal })),
    placeholderData: (before) => before,
    enabled,
    // What is on the screen is as it was typed; the answer changes only if names are looked up anew.
    staleTime: 30_000,
    retry: 1,
  })
}
