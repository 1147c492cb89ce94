import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '~/app/root'

const states = ['FORWARDING', 'FORWARDED', 'REFUSED', 'FREE', 'ABANDONED', 'all'] as const

/** What is in doubt unless it says another. */
export interface GuardSearch {
  state?: (typeof states)[number]
}

export const guardRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/guards',
    component: lazyRouteComponent(() => import('./GuardsScreen'), 'GuardsScreen'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/guards/$name',
    validateSearch: (search: Record<string, unknown>): GuardSearch => {
      const state = states.find((one) => one === search['state'])
      return state === undefined ? {} : { state }
    },
    component: lazyRouteComponent(() => import('./GuardScreen'), 'GuardScreen'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/guards/$name/$eventId',
    validateSearch: (search: Record<string, unknown>): { source?: string } =>
      typeof search['source'] === 'string' || typeof search['source'] === 'number' ? { source: String(search['source']) } : {},
    component: lazyRouteComponent(() => import('./ForwardScreen'), 'ForwardScreen'),
  }),
] as const
