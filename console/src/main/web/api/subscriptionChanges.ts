import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { answer, hub, type Schema } from './client'

export type Trial = Schema<'TrialAnswer'>
export type RotatedSecret = Schema<'RotatedSecret'>
export type LetGo = Schema<'LetGoAnswer'>

/** As somebody wrote it: the hub says what is wrong with it. */
type Written = Record<string, unknown>

export interface SampleText {
  type?: string
  /** JSON as it was typed: it goes to the hub with every digit. */
  data?: string
  headers?: Record<string, string>
}

const because = (reason: string) => (reason === '' ? {} : { reason })

/** The body by hand, since reading the payload as JSON would round its numbers. */
function sampleBody({ type, data, headers }: SampleText): string {
  const members = [
    ...(type === undefined ? [] : [`"type":${JSON.stringify(type)}`]),
    ...(data === undefined ? [] : [`"data":${data}`]),
    ...(headers === undefined ? [] : [`"headers":${JSON.stringify(headers)}`]),
  ]
  return `{${members.join(',')}}`
}

async function outdating<T>(queries: QueryClient, call: Promise<T>): Promise<T> {
  try {
    return await call
  } finally {
    for (const word of ['subscription', 'subscriptions', 'overview', 'audit']) {
      void queries.invalidateQueries({ queryKey: [word] })
    }
  }
}

/** Creates one; a name that is taken is a conflict. */
export function useSubscriptionCreation() {
  const queries = useQueryClient()
  return (name: string, document: Written) =>
    outdating(
      queries,
      answer(hub.PUT('/v1/subscriptions/{name}', { params: { path: { name }, header: { 'If-None-Match': '*' } }, body: document })),
    )
}

/** What one may do to a subscription. Each makes what is on the screen old, and throws the hub's problem. */
export function useSubscriptionChanges(name: string) {
  const queries = useQueryClient()
  return useMemo(() => {
    const path = { name }
    const changing = <T,>(call: Promise<T>) => outdating(queries, call)
    return {
      change: (document: Written, revision: number) =>
        changing(answer(hub.PUT('/v1/subscriptions/{name}', { params: { path, header: { 'If-Match': `"${revision}"` } }, body: document }))),
      pause: (reason: string) => changing(answer(hub.POST('/v1/subscriptions/{name}/pause', { params: { path }, body: because(reason) }))),
      resume: (reason: string) => changing(answer(hub.POST('/v1/subscriptions/{name}/resume', { params: { path }, body: because(reason) }))),
      rotate: (grace: string): Promise<RotatedSecret> =>
        changing(answer(hub.POST('/v1/subscriptions/{name}/rotate-secret', { params: { path }, body: { grace } }))),
      letGo: (reason: string, dryRun: boolean): Promise<LetGo> =>
        changing(answer(hub.POST('/v1/subscriptions/{name}/let-go', { params: { path }, body: { ...because(reason), dryRun } }))),
      remove: (revision: number | undefined) =>
        changing(
          answer(
            hub.DELETE('/v1/subscriptions/{name}', {
              params: { path, header: revision === undefined ? {} : { 'If-Match': `"${revision}"` } },
              parseAs: 'text',
            }),
          ),
        ),
      test: (sample: SampleText): Promise<Trial> =>
        answer(hub.POST('/v1/subscriptions/{name}/test', { params: { path }, body: {}, bodySerializer: () => sampleBody(sample) })),
    }
  }, [queries, name])
}
