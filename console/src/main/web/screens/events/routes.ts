import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '~/app/root'
import { filterSearch } from '~/lib/searchText'

interface EventsSearch {
  q?: string
  /** Whether events appear as they are recorded. */
  tail?: true
}

interface EventSearch {
  /** Whose event it is, if several sources have used its id. */
  source?: string
  tab?: string
  /** The payload's form. */
  as?: string
  /** How long before and after the event its neighbours are looked for. */
  within?: string
}

const texts = (search: Record<string, unknown>, names: readonly (keyof EventSearch)[]): EventSearch =>
  Object.fromEntries(names.flatMap((name) => (typeof search[name] === 'string' || typeof search[name] === 'number' ? [[name, String(search[name])]] : [])))

export const eventRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/events',
    validateSearch: (search: Record<string, unknown>): EventsSearch => ({ ...filterSearch(search), ...(search['tail'] === true ? { tail: true } : {}) }),
    component: lazyRouteComponent(() => import('./EventsScreen'), 'EventsScreen'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/events/$id',
    validateSearch: (search: Record<string, unknown>): EventSearch => texts(search, ['source', 'tab', 'as', 'within']),
    component: lazyRouteComponent(() => import('./EventScreen'), 'EventScreen'),
  }),
] as const
