import { callHub } from './client'
import { Problem } from './problem'
import { session, type Me } from './session'

/** Asks the hub who we are. A 401 on the way has told the session already. */
export async function askWhoIAm(signal?: AbortSignal): Promise<void> {
  const response = await callHub(new Request('/v1/me', { signal: signal ?? null }))
  if (response.status === 401) {
    await response.body?.cancel()
    return
  }
  const body: unknown = await response.json()
  if (!response.ok) {
    throw Problem.of(body, response)
  }
  session.signedIn(body as Me)
}
