import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '~/app/root'

export const keyRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/keys',
    validateSearch: ({ show }: Record<string, unknown>): { show?: 'all' } => (show === 'all' ? { show } : {}),
    component: lazyRouteComponent(() => import('./KeysScreen'), 'KeysScreen'),
  }),
] as const
