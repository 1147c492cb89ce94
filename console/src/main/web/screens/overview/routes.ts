import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '~/app/root'

export const overviewRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/',
    component: lazyRouteComponent(() => import('./OverviewScreen'), 'OverviewScreen'),
  }),
] as const
