import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { answer, hub, type Schema } from './client'
import { usePages } from './pages'

export type EventItem = Schema<'EventItem'>
export type EventStatus = NonNullable<EventItem['status']>
export type TailedEvent = Schema<'TailedEvent'>
export type SubscriptionItem = Schema<'SubscriptionItem'>

/** `decoded` is JSON that Protobuf wrote, which has great numbers as texts, so that reading it rounds none. */
export type EventDetail = Schema<'EventDetail'>

export interface EventFilter {
  type?: string
  source?: string
  key?: string
  id?: string
  subscription?: string
  status?: string
  from?: string
  to?: string
}

export function useEvents(filter: EventFilter, enabled = true) {
  return usePages<EventItem>({
    key: ['events', filter],
    load: (after, signal) => answer(hub.GET('/v1/events', { params: { query: { ...filter, after } }, signal })),
    poll: 5000,
    enabled,
  })
}

export function useEvent(id: string, source?: string) {
  return useQuery({
    queryKey: ['event', id, source],
    // The payload comes as dataText, a text, because reading it as JSON would round its numbers.
    queryFn: ({ signal }) =>
      answer(hub.GET('/v1/events/{id}', { params: { path: { id }, query: { payload: 'text', ...(source === undefined ? {} : { source }) } }, signal })),
    // The stream does not tell what becomes of one event; while something may still become of it, it is asked for.
    refetchInterval: ({ state }) => (state.data === undefined || settled(state.data) ? 30_000 : 2000),
  })
}

const settled = (event: EventDetail) => (event.subscriptions ?? []).every(({ status }) => status === 'DELIVERED' || status === 'DISCARDED')

/** What the filter bar offers: asked for once a minute at most. */
export function useEventCompletions() {
  const queries = useQueryClient()
  return useMemo(
    () => ({
      subscriptions: (begin: string) =>
        queries.query({ queryKey: ['completions', 'subscriptions', begin], staleTime: 60_000, queryFn: ({ signal }) => subscriptionNames(begin, signal) }),
      types: () => queries.query({ queryKey: ['completions', 'types'], staleTime: 60_000, queryFn: ({ signal }) => typeNames(signal) }),
    }),
    [queries],
  )
}

/** Some subscriptions by name, for choosing one. */
export function useSubscriptionNames(enabled: boolean) {
  return useQuery({ queryKey: ['completions', 'subscriptions', ''], queryFn: ({ signal }) => subscriptionNames('', signal), staleTime: 60_000, enabled })
}

async function subscriptionNames(begin: string, signal: AbortSignal): Promise<string[]> {
  const { items = [] } = await answer(hub.GET('/v1/overview/subscriptions', { params: { query: { search: begin, sort: 'name', limit: '200' } }, signal }))
  return items.flatMap(({ name }) => (name === undefined ? [] : [name]))
}

async function typeNames(signal: AbortSignal): Promise<string[]> {
  const { items = [] } = await answer(hub.GET('/v1/event-types', { params: { query: { limit: '1000' } }, signal }))
  return items.flatMap(({ name }) => (name === undefined ? [] : [name]))
}

export interface Deferral {
  id: string
  subscription: string
  /** A time with its zone. */
  until: string
}

/** True if it is put off, false if the subscription's relay has not answered yet and may still do it. */
export async function deferEvent({ id, subscription, until }: Deferral): Promise<boolean> {
  const { answeredAt } = await answer(hub.POST('/v1/events/{id}/defer', { params: { path: { id } }, body: { subscription, until } }))
  return answeredAt !== undefined
}

/** One event for one subscription: its dead letter if it has one, else out of the log. */
export interface OneReplay {
  id: string
  subscription: string
  deadLetter: boolean
}

export type Preview = Schema<'PreviewAnswer'>

const scope = ({ id, subscription, deadLetter }: OneReplay) =>
  deadLetter ? { messageId: id, subscriberId: subscription } : { history: { subscriberId: subscription, eventId: id } }

export function useReplayPreview(one: OneReplay | undefined) {
  return useQuery({
    queryKey: ['event-replay', one],
    enabled: one !== undefined,
    retry: false,
    staleTime: 0,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      if (one === undefined) {
        throw new Error('Nothing was chosen.')
      }
      return answer<Preview>(hub.POST('/v1/replay', { body: { ...scope(one), dryRun: true }, signal }))
    },
  })
}

/** The number of the replay that was started. */
export async function replayEvent(one: OneReplay, reason: string): Promise<number> {
  const started = await answer<Schema<'ReplayAnswer'>>(hub.POST('/v1/replay', { body: { ...scope(one), ...(reason === '' ? {} : { reason }) } }))
  return started.id ?? 0
}
