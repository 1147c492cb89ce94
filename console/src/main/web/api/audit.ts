import { answer, hub, type Schema } from './client'
import { usePages } from './pages'

export type AuditItem = Schema<'AuditItem'>

export interface AuditFilter {
  actor?: string
  action?: string
  target?: string
  requestId?: string
  from?: string
  to?: string
}

export function useAudit(filter: AuditFilter) {
  return usePages<AuditItem>({
    key: ['audit', filter],
    load: (after, signal) => answer(hub.GET('/v1/audit', { params: { query: { ...filter, after } }, signal })),
  })
}
