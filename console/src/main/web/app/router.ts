import { createRouter } from '@tanstack/react-router'
import { auditRoutes } from '~/screens/audit/routes'
import { deadLetterRoutes } from '~/screens/dead-letters/routes'
import { eventRoutes } from '~/screens/events/routes'
import { guardRoutes } from '~/screens/guards/routes'
import { keyRoutes } from '~/screens/keys/routes'
import { overviewRoutes } from '~/screens/overview/routes'
import { replayRoutes } from '~/screens/replay/routes'
import { subscriptionRoutes } from '~/screens/subscriptions/routes'
import { root, ScreenFailed } from './root'

/** A screen adds its pages in its own routes.ts; nothing here changes for that. */
export const router = createRouter({
  routeTree: root.addChildren([
    ...overviewRoutes,
    ...eventRoutes,
    ...subscriptionRoutes,
    ...deadLetterRoutes,
    ...replayRoutes,
    ...guardRoutes,
    ...auditRoutes,
    ...keyRoutes,
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultErrorComponent: ScreenFailed,
  // main is the scroller, not the window.
  scrollRestoration: true,
  scrollToTopSelectors: ['#main'],
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
