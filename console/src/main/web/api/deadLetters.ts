import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { answer, hub, type Schema } from './client'
import { usePollInterval } from './live'
import { usePages } from './pages'

export type DeadLetterGroup = Schema<'GroupItem'>
export type DeadLetter = Schema<'DeadLetterItem'>
export type DeadLetterFilter = Schema<'DeadLetterFilter'>
export type DeadLetterDetail = Schema<'DeadLetterDetail'>
export type Attempt = Schema<'AttemptItem'>
/** What is discarded or purged: one of id, ids, group and filter. */
export type ChosenLetters = Pick<Schema<'ChosenLetters'>, 'id' | 'ids' | 'group' | 'filter'>

const groups = (filter: DeadLetterFilter, signal: AbortSignal) =>
  answer(hub.GET('/v1/dlt-messages/groups', { params: { query: { ...filter, limit: '1000', trend: 'true' } }, signal }))

export function useDeadLetterGroups(filter: DeadLetterFilter, enabled = true) {
  return useQuery({
    queryKey: ['dead-letters', 'groups', filter],
    queryFn: ({ signal }) => groups(filter, signal),
    refetchInterval: usePollInterval(10_000),
    enabled,
  })
}

/** What to offer where one types a filter: what the groups that there are have. */
export async function deadLetterOffers(queries: QueryClient, of: 'subscriberId' | 'errorClass' | 'cause' | 'types'): Promise<string[]> {
  const { items = [] } = await queries.query({
    queryKey: ['dead-letters', 'groups', {}],
    queryFn: ({ signal }) => groups({}, signal),
    staleTime: 60_000,
  })
  return [...new Set(items.flatMap((group) => group[of] ?? []))].sort()
}

export function useDeadLetters(filter: DeadLetterFilter) {
  return usePages<DeadLetter>({
    key: ['dead-letters', 'list', filter],
    load: (after, signal) => answer(hub.GET('/v1/dlt-messages', { params: { query: { ...filter, after } }, signal })),
  })
}

/** How many match, as far as the hub counts for a list. */
export function useDeadLetterCount(filter: DeadLetterFilter) {
  return useQuery({
    queryKey: ['dead-letters', 'count', filter],
    queryFn: async ({ signal }) => {
      const page = await answer(hub.GET('/v1/dlt-messages', { params: { query: { ...filter, limit: '1', count: '100000' } }, signal }))
      return page.count ?? {}
    },
    refetchInterval: usePollInterval(30_000),
  })
}

export function useDeadLetter(id: string) {
  return useQuery({
    queryKey: ['dead-letter', id],
    // The payload comes as dataText, a text, because reading it as JSON would round its numbers.
    queryFn: ({ signal }) => answer(hub.GET('/v1/dlt-messages/{id}', { params: { path: { id }, query: { payload: 'text' } }, signal })),
    refetchInterval: usePollInterval(10_000),
  })
}

export interface GivenUp {
  matching: number
  /** Selected and not left out. */
  asked: number
  done: number
  replaying: number
  alreadyAsked: number
}

async function giveUp(verb: 'discard' | 'purge', body: Schema<'ChosenLetters'>, signal?: AbortSignal): Promise<GivenUp> {
  const options = { body, ...(signal === undefined ? {} : { signal }) }
  if (verb === 'discard') {
    const { matching = 0, discarding = 0, discarded = 0, replaying = 0, alreadyAsked = 0 } = await answer(hub.POST('/v1/dlt-messages/discard', options))
    return { matching, asked: discarding, done: discarded, replaying, alreadyAsked }
  }
  const { matching = 0, purging = 0, purged = 0, replaying = 0, alreadyAsked = 0 } = await answer(hub.POST('/v1/dlt-messages/purge', options))
  return { matching, asked: purging, done: purged, replaying, alreadyAsked }
}

/** Counts exactly what would be given up, by the call that does it. */
export function useGiveUpCount(verb: 'discard' | 'purge', chosen: ChosenLetters, enabled: boolean) {
  return useQuery({
    queryKey: ['dead-letter', 'give-up', verb, chosen],
    queryFn: ({ signal }) => giveUp(verb, { ...chosen, dryRun: true }, signal),
    enabled,
    gcTime: 0,
  })
}

/** What changes dead letters. The lists are asked for again afterwards. */
export function useDeadLetterDeeds() {
  const queries = useQueryClient()
  const again = useCallback(async () => {
    await Promise.all([queries.invalidateQueries({ queryKey: ['dead-letters'] }), queries.invalidateQueries({ queryKey: ['dead-letter'] })])
  }, [queries])
  return {
    giveUp: async (verb: 'discard' | 'purge', chosen: ChosenLetters, reason: string) => {
      const given = await giveUp(verb, { ...chosen, reason })
      void again()
      return given
    },
    release: async (id: string) => {
      const released = await answer(hub.POST('/v1/dlt-messages/{id}/release', { params: { path: { id } } }))
      void again()
      return released
    },
    note: async (group: { subscriberId: string; errorClass: string; cause: string }, note: string | undefined) => {
      await answer(hub.PUT('/v1/dlt-messages/groups/note', { body: { ...group, ...(note === undefined ? {} : { note }) } }))
      await again()
    },
  }
}
