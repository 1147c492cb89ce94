import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '~/app/root'

export const guardRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/guards',
    component: lazyRouteComponent(() => import('./GuardsScreen'), 'GuardsScreen'),
  }),
] as const
