import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

interface ScreenLinkProps {
  to: string
  params?: Record<string, string>
  search?: Record<string, string>
  className?: string
  children: ReactNode
}

// A screen's folder knows its own routes alone, so that what another one is called is not checked here by its type.
const AnyLink = Link as unknown as (props: ScreenLinkProps) => ReactNode

/** A link to a page of another screen: `<ScreenLink to="/subscriptions/$name" params={{ name }}>`. */
export function ScreenLink(props: ScreenLinkProps) {
  return <AnyLink {...props} />
}

export function SubscriptionLink({ name }: { name: string | undefined }) {
  return name === undefined ? (
    <span className="muted">–</span>
  ) : (
    <ScreenLink to="/subscriptions/$name" params={{ name }}>
      {name}
    </ScreenLink>
  )
}

export function EventLink({ id, children }: { id: string | undefined; children?: string | undefined }) {
  return id === undefined ? (
    <span className="muted">–</span>
  ) : (
    <ScreenLink to="/events/$id" params={{ id }}>
      {children ?? id}
    </ScreenLink>
  )
}
