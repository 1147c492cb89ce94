import createClient from 'openapi-fetch'
import type { components, paths } from '#api'
import { Problem, Unreachable } from './problem'
import { session } from './session'

export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

/** Adds the key, and tells a hub that is away from one that refuses. Every call of the console goes through here. */
export async function callHub(input: Request): Promise<Response> {
  const key = session.key()
  if (key !== undefined) {
    input.headers.set('Authorization', `Bearer ${key}`)
  }
  let response: Response
  try {
    // The one place that may: everything else calls this.
    // eslint-disable-next-line no-restricted-globals
    response = await fetch(input)
  } catch (error) {
    if (input.signal.aborted) {
      throw error
    }
    throw new Unreachable(error)
  }
  if (response.status === 401 && key === session.key()) {
    session.refused()
  }
  return response
}

export const hub = createClient<paths>({ baseUrl: location.origin, fetch: callHub })

/** The data of an answer, or its problem thrown: `await answer(hub.GET('/v1/keys', …))`. */
export async function answer<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call
  if (!response.ok) {
    throw Problem.of(error, response)
  }
  return data as T
}
