import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '~/app/root'
import { filterSearch } from '~/lib/searchText'
import { planSearch } from './plan'

export const replayRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/replay',
    validateSearch: filterSearch,
    component: lazyRouteComponent(() => import('./ReplaysScreen'), 'ReplaysScreen'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/replay/new',
    validateSearch: planSearch,
    component: lazyRouteComponent(() => import('./NewReplayScreen'), 'NewReplayScreen'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/replay/$id',
    validateSearch: (search: Record<string, unknown>): { items?: 'skipped' } => (search['items'] === 'skipped' ? { items: 'skipped' } : {}),
    component: lazyRouteComponent(() => import('./ReplayScreen'), 'ReplayScreen'),
  }),
] as const
