import type { components } from '#api'
import { Store, useStore } from '~/lib/store'

export type Role = NonNullable<components['schemas']['MeAnswer']['role']>

/**
 * Who the hub says we are: GET /v1/me. `payload` says whether payloads are shown unmasked; `keys` is false on a hub that has no
 * key and answers to its own machine alone.
 */
export type Me = Required<components['schemas']['MeAnswer']>

type SessionState =
  | { phase: 'asking' }
  | { phase: 'key-needed'; why?: string }
  | { phase: 'in'; me: Me }

const storageName = 'posthorn.key'

/** The key lives in session storage: gone with the tab, and never sent but in a header. */
class Session {
  readonly state = new Store<SessionState>({ phase: 'asking' })

  key(): string | undefined {
    return sessionStorage.getItem(storageName) ?? undefined
  }

  /** Before the hub has said who it belongs to. */
  tryKey(key: string) {
    sessionStorage.setItem(storageName, key)
  }

  signedIn(me: Me) {
    this.state.set({ phase: 'in', me })
  }

  /** The hub answered 401: the key is unknown or revoked, or one is needed. */
  refused() {
    const had = this.key() !== undefined
    sessionStorage.removeItem(storageName)
    this.state.set(had ? { phase: 'key-needed', why: 'The hub does not know this key, or it was revoked.' } : { phase: 'key-needed' })
  }

  signOut() {
    sessionStorage.removeItem(storageName)
    this.state.set({ phase: 'key-needed' })
  }
}

export const session = new Session()

export const useSession = () => useStore(session.state)

/** Who is signed in. Only below the sign-in, where somebody is. */
export function useMe(): Me {
  const state = useSession()
  if (state.phase !== 'in') {
    throw new Error('Nobody is signed in here.')
  }
  return state.me
}
