import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '~/app/root'
import { filterSearch, type FilterSearch } from '~/lib/searchText'

/** The groups unless it says list. */
export interface DeadLettersSearch extends FilterSearch {
  view?: 'list'
}

export const deadLetterRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/dead-letters',
    validateSearch: (search: Record<string, unknown>): DeadLettersSearch => ({
      ...filterSearch(search),
      ...(search['view'] === 'list' ? { view: 'list' } : {}),
    }),
    component: lazyRouteComponent(() => import('./DeadLettersScreen'), 'DeadLettersScreen'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/dead-letters/$id',
    component: lazyRouteComponent(() => import('./DeadLetterScreen'), 'DeadLetterScreen'),
  }),
] as const
