import { Link } from '@tanstack/react-router'

/** The pages of what other screens name without knowing them. A text to the router, as the page is another screen's. */
export const subscriptionPath = (name: string): string => `/subscriptions/${encodeURIComponent(name)}`
export const eventPath = (id: string): string => `/events/${encodeURIComponent(id)}`

export function SubscriptionLink({ name }: { name: string | undefined }) {
  return name === undefined ? <span className="muted">–</span> : <Link to={subscriptionPath(name)}>{name}</Link>
}

export function EventLink({ id, children }: { id: string | undefined; children?: string | undefined }) {
  return id === undefined ? <span className="muted">–</span> : <Link to={eventPath(id)}>{children ?? id}</Link>
}
