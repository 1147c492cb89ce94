import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '~/app/root'
import { filterSearch, type FilterSearch } from '~/lib/searchText'

/** The entry that is open, by its number. */
export interface AuditSearch extends FilterSearch {
  entry?: string
}

export const auditRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/audit',
    validateSearch: (search: Record<string, unknown>): AuditSearch => {
      const entry = search['entry']
      return { ...filterSearch(search), ...(typeof entry === 'string' || typeof entry === 'number' ? { entry: String(entry) } : {}) }
    },
    component: lazyRouteComponent(() => import('./AuditScreen'), 'AuditScreen'),
  }),
] as const
