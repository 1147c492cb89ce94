import { useQueryClient } from '@tanstack/react-query'
import { answer, hub, type Schema } from './client'
import { usePages, type Page } from './pages'
import { session, type Role } from './session'

/** An API key as the list has it, without the key itself. */
export interface KeyItem {
  name: string
  role: Role
  payload?: boolean
  sources?: string[]
  types?: string[]
  createdAt?: string
  createdBy?: string
  revokedAt?: string
}

export type NewKey = Schema<'NewKey'>
export type CreatedKey = Schema<'CreatedKey'>

export function useKeys() {
  return usePages<KeyItem>({
    key: ['keys'],
    // The document's ApiKey is that of a sink, which has the same name.
    load: async (after, signal) => (await answer(hub.GET('/v1/keys', { params: { query: { after } }, signal }))) as Page<KeyItem>,
    poll: 30_000,
  })
}

export function useKeyChanges() {
  const queries = useQueryClient()
  async function changing<T>(call: Promise<T>): Promise<T> {
    try {
      return await call
    } finally {
      void queries.invalidateQueries({ queryKey: ['keys'] })
    }
  }
  return {
    /** `signIn`: it is the hub's first, so that the next call needs it already, before anybody has read it. */
    create: (key: NewKey, signIn: boolean): Promise<CreatedKey> =>
      changing(
        answer(hub.POST('/v1/keys', { body: key })).then((created) => {
          if (signIn && created.key !== undefined) {
            session.tryKey(created.key)
          }
          return created
        }),
      ),
    revoke: (name: string) => changing(answer(hub.DELETE('/v1/keys/{name}', { params: { path: { name } }, parseAs: 'text' }))),
  }
}
