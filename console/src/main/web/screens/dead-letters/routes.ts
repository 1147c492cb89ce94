import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '~/app/root'
import { filterSearch } from '~/lib/searchText'

export const deadLetterRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/dead-letters',
    validateSearch: filterSearch,
    component: lazyRouteComponent(() => import('./DeadLettersScreen'), 'DeadLettersScreen'),
  }),
] as const
