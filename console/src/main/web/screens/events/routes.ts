import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '~/app/root'
import { filterSearch } from '~/lib/searchText'

export const eventRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/events',
    validateSearch: filterSearch,
    component: lazyRouteComponent(() => import('./EventsScreen'), 'EventsScreen'),
  }),
] as const
