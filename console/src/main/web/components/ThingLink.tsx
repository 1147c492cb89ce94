import { Link } from '@tanstack/react-router'

/** The page of a subscription, of an event: what other screens name without knowing them. */
export function SubscriptionLink({ name }: { name: string | undefined }) {
  const to: string = `/subscriptions/${encodeURIComponent(name ?? '')}`
  return name === undefined ? <span className="muted">–</span> : <Link to={to}>{name}</Link>
}

export function EventLink({ id, children }: { id: string | undefined; children?: string | undefined }) {
  const to: string = `/events/${encodeURIComponent(id ?? '')}`
  return id === undefined ? <span className="muted">–</span> : <Link to={to}>{children ?? id}</Link>
}
