import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '~/app/root'
import { attemptsOf, listOf, openOf, writingOf } from './search'

export const subscriptionRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/subscriptions',
    validateSearch: listOf,
    component: lazyRouteComponent(() => import('./SubscriptionsScreen'), 'SubscriptionsScreen'),
  }),
  // No subscription has this name: names begin with a letter or a digit.
  createRoute({
    getParentRoute: () => root,
    path: '/subscriptions/-/new',
    validateSearch: writingOf,
    component: lazyRouteComponent(() => import('./NewSubscriptionScreen'), 'NewSubscriptionScreen'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/subscriptions/$name',
    validateSearch: (search: Record<string, unknown>) => ({ ...openOf(search), ...attemptsOf(search) }),
    component: lazyRouteComponent(() => import('./SubscriptionScreen'), 'SubscriptionScreen'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/subscriptions/$name/edit',
    validateSearch: writingOf,
    component: lazyRouteComponent(() => import('./EditSubscriptionScreen'), 'EditSubscriptionScreen'),
  }),
] as const
