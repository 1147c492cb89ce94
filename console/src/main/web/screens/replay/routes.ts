import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '~/app/root'

export const replayRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/replay',
    component: lazyRouteComponent(() => import('./ReplaysScreen'), 'ReplaysScreen'),
  }),
] as const
