import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '~/app/root'
import { filterSearch } from '~/lib/searchText'

export const subscriptionRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/subscriptions',
    validateSearch: filterSearch,
    component: lazyRouteComponent(() => import('./SubscriptionsScreen'), 'SubscriptionsScreen'),
  }),
] as const
