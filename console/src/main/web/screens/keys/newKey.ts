import type { KeyItem, NewKey } from '~/api/keys'
import type { Role } from '~/api/session'

/** A key as it is being asked for. */
export interface Draft {
  name: string
  role: Role
  payload: boolean
  /** One on each line. */
  sources: string
  types: string
}

const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** What is sent: an admin sees every payload and a publisher none, and only a publisher is bound to what it publishes. */
export function newKeyOf(draft: Draft): NewKey {
  const { name, role, payload } = draft
  const bound = role === 'publisher'
  const sources = lines(draft.sources)
  const types = lines(draft.types)
  return {
    name,
    role,
    ...(role === 'viewer' || role === 'operator' ? { payload } : {}),
    ...(bound && sources.length > 0 ? { sources } : {}),
    ...(bound && types.length > 0 ? { types } : {}),
  }
}

export function nameFault(name: string): string | undefined {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name) ? undefined : 'Letters, digits, dots, dashes and underscores, a letter or digit first, at most 100.'
}

/** What a publisher may publish; others publish by their role, or not at all. */
export function scopeOf({ role, sources = [], types = [] }: KeyItem): string {
  if (role !== 'publisher') {
    return role === 'admin' ? 'anything' : 'nothing'
  }
  const parts = [...(types.length > 0 ? [`types ${types.join(', ')}`] : []), ...(sources.length > 0 ? [`sources ${sources.join(', ')}`] : [])]
  return parts.length === 0 ? 'anything' : parts.join('; ')
}
