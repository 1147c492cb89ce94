import type { ReactNode } from 'react'
import { Problem, remedy } from '~/api/problem'
import { usePermission, type Action } from '~/api/permissions'
import { Button } from './Button'
import { Shape } from './Status'
import { Time } from './Time'
import './states.css'

export function Loading({ what = 'Loading' }: { what?: string }) {
  return (
    <div className="state" role="status">
      <span className="spinner" aria-hidden="true" />
      <span>{what} …</span>
    </div>
  )
}

/** Nothing is there. Say why that is so, and what would change it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="state state-empty">
      <p className="state-title">{title}</p>
      {children}
    </div>
  )
}

/** What went wrong, which field broke which rule, and what to do about it. */
export function ProblemNote({ error, again }: { error: unknown; again?: (() => void) | undefined }) {
  const problem = error instanceof Problem ? error : undefined
  const help = remedy(error)
  return (
    <div className="note note-bad" role="alert">
      <Shape tone="bad" />
      <div className="note-body">
        {problem && problem.title !== problem.message && <strong>{problem.title}</strong>}
        {(problem?.violations.length ?? 0) === 0 && <p className="wrap">{error instanceof Error ? error.message : String(error)}</p>}
        {problem && problem.violations.length > 0 && (
          <ul>
            {problem.violations.map((violation, index) => (
              <li key={index} className="wrap">
                <code>{violation.field}</code>: {violation.rule}
              </li>
            ))}
          </ul>
        )}
        {help !== undefined && <p>{help}</p>}
        {problem?.requestId !== undefined && (
          <p className="muted">
            Request <code className="wrap">{problem.requestId}</code>
          </p>
        )}
        {again && (
          <p>
            <Button onClick={again}>Ask again</Button>
          </p>
        )}
      </div>
    </div>
  )
}

/** Shown above data that could not be asked for again. */
export function Stale({ since, error }: { since: number; error: Error }) {
  return (
    <div className="note note-warn" role="status">
      <Shape tone="warn" />
      <div className="note-body">
        <p>
          What you see is as of <Time at={new Date(since).toISOString()} show="both" />. {error.message} The page asks again by itself.
        </p>
      </div>
    </div>
  )
}

export function NoPermission({ why, children }: { why: string; children?: ReactNode }) {
  return (
    <div className="state state-empty">
      <p className="state-title">You may not see this</p>
      <p>{why}</p>
      {children}
      <p className="muted">An admin of this hub can make a key with another role.</p>
    </div>
  )
}

/** Shows its children to roles that may, and to the others says which role it takes. */
export function Permitted({ action, children }: { action: Action; children: ReactNode }) {
  const may = usePermission(action)
  return may.allowed ? children : <NoPermission why={may.why} />
}

interface Asked<T> {
  data: T | undefined
  error: Error | null
  dataUpdatedAt: number
  refetch: () => unknown
}

/** A query's four states: loading, failed, there, and there but stale. */
export function Loaded<T>({ query, what, children }: { query: Asked<T>; what?: string; children: (data: T) => ReactNode }) {
  const { data, error } = query
  if (data === undefined) {
    return error === null ? <Loading {...(what === undefined ? {} : { what })} /> : <ProblemNote error={error} again={() => void query.refetch()} />
  }
  return (
    <>
      {error !== null && <Stale since={query.dataUpdatedAt} error={error} />}
      {children(data)}
    </>
  )
}
