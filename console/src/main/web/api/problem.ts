import type { components } from '#api'

export type Violation = components['schemas']['Violation']
type ProblemDocument = components['schemas']['ProblemDocument']

/** What the hub answered instead of what was asked for: application/problem+json, as docs/access.md has it. */
export class Problem extends Error {
  readonly status: number
  /** The last word of the type: forbidden, conflict, stale … */
  readonly code: string
  readonly title: string
  readonly violations: Violation[]
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(document: ProblemDocument, response: Response) {
    super(document.detail ?? document.title ?? `The hub answered ${response.status}.`)
    this.name = 'Problem'
    this.status = response.status
    this.code = document.type?.split(':').at(-1) ?? ''
    this.title = document.title ?? response.statusText
    this.violations = document.violations ?? []
    this.requestId = document.requestId ?? response.headers.get('X-Request-Id') ?? undefined
    const after = Number(response.headers.get('Retry-After'))
    this.retryAfterSeconds = after > 0 ? after : undefined
  }

  static of(body: unknown, response: Response): Problem {
    return new Problem(typeof body === 'object' && body !== null ? body : {}, response)
  }

  /** What broke the rule of this field, for a form to show beside it. */
  rule(field: string): string | undefined {
    return this.violations.find((violation) => violation.field === field)?.rule
  }
}

/** The call did not arrive, or its answer did not: the hub is down, restarting, or the network is. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('The hub cannot be reached.', { cause })
    this.name = 'Unreachable'
  }
}

/** What the operator can do about it; undefined where the problem's own words are all there is to say. */
export function remedy(error: unknown): string | undefined {
  if (error instanceof Unreachable) {
    return 'The page asks again by itself. If this lasts, look whether the hub is running and whether this machine reaches it.'
  }
  if (!(error instanceof Problem)) {
    return 'This is a mistake of the console. Load the page again; if it comes back, please report it.'
  }
  switch (error.status) {
    case 401:
      return 'Sign in with a key that is not revoked.'
    case 403:
      return 'Ask an admin of this hub for a key with one of the roles named, or let somebody who has one do it.'
    case 404:
      return 'It may have been deleted, or be older than what the log keeps.'
    case 409:
      return 'Load it again to see what is there now, then decide.'
    case 412:
      return 'Somebody else changed it in the meantime. Load it again, and make your change to what is there now.'
    case 429:
    case 503:
      return error.retryAfterSeconds === undefined
        ? 'The hub is busy or its database is away. The page asks again by itself.'
        : `The page asks again in ${error.retryAfterSeconds} s.`
    case 500:
      return 'The hub’s log tells more under the request id.'
    default:
      return undefined
  }
}

/** Whether asking again may help. What the caller did wrong stays wrong. */
export function passes(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof Problem && (error.status === 429 || error.status >= 500))
}
