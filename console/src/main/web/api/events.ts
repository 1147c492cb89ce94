import { useQuery } from '@tanstack/react-query'
import { answer, hub, type Schema } from './client'
import { usePollInterval } from './live'
import { usePages } from './pages'

export type EventItem = Schema<'EventItem'>
export type EventStatus = NonNullable<EventItem['status']>

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
    refetchInterval: usePollInterval(),
  })
}
