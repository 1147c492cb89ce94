import { answer, hub, type Schema } from './client'
import { usePages } from './pages'

export type Guard = Schema<'GuardAnswer'>

export function useGuards() {
  return usePages<Guard>({
    key: ['guards'],
    load: (after, signal) => answer(hub.GET('/v1/guards', { params: { query: { after } }, signal })),
  })
}
