import { answer, hub } from './client'
import { usePages, type Page } from './pages'
import type { Role } from './session'

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

export function useKeys() {
  return usePages<KeyItem>({
    key: ['keys'],
    // The document's ApiKey is that of a sink, which has the same name.
    load: async (after, signal) => (await answer(hub.GET('/v1/keys', { params: { query: { after } }, signal }))) as Page<KeyItem>,
    poll: 30_000,
  })
}
