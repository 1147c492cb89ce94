import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '~/app/root'
import { filterSearch } from '~/lib/searchText'

export const auditRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/audit',
    validateSearch: filterSearch,
    component: lazyRouteComponent(() => import('./AuditScreen'), 'AuditScreen'),
  }),
] as const
