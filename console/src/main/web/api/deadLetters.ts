import { useQuery } from '@tanstack/react-query'
import { answer, hub, type Schema } from './client'
import { usePollInterval } from './live'
import { usePages } from './pages'

export type DeadLetterGroup = Schema<'GroupItem'>
export type DeadLetter = Schema<'DeadLetterItem'>
export type DeadLetterFilter = Schema<'DeadLetterFilter'>

export function useDeadLetterGroups(filter: DeadLetterFilter) {
  return useQuery({
    queryKey: ['dead-letters', 'groups', filter],
    queryFn: ({ signal }) => answer(hub.GET('/v1/dlt-messages/groups', { params: { query: filter }, signal })),
    refetchInterval: usePollInterval(10_000),
  })
}

export function useDeadLetters(filter: DeadLetterFilter) {
  return usePages<DeadLetter>({
    key: ['dead-letters', 'list', filter],
    load: (after, signal) => answer(hub.GET('/v1/dlt-messages', { params: { query: { ...filter, after } }, signal })),
  })
}
