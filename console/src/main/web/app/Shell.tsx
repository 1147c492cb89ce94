import { useQueryClient } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { live, useLiveness } from '~/api/live'
import { invalidateFor } from '~/api/liveQueries'
import { session, useMe } from '~/api/session'
import { Button } from '~/components/Button'
import { Shape } from '~/components/Status'
import { Time } from '~/components/Time'
import './shell.css'

const places = [
  { to: '/', name: 'Overview' },
  { to: '/events', name: 'Events' },
  { to: '/subscriptions', name: 'Subscriptions' },
  { to: '/dead-letters', name: 'Dead letters' },
  { to: '/replay', name: 'Replay' },
  { to: '/guards', name: 'Guards' },
  { to: '/audit', name: 'Audit' },
  { to: '/keys', name: 'Keys' },
] as const

/** The frame around every screen: where one can go, whether what one sees is live, and who one is. */
export function Shell() {
  const queries = useQueryClient()

  useEffect(() => {
    const forget = live.listen((event) => {
      invalidateFor(queries, event)
    })
    live.start(() => void queries.invalidateQueries())
    return () => {
      forget()
      live.stop()
    }
  }, [queries])

  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <aside className="side">
        <div className="side-name">Posthorn</div>
        <nav aria-label="Screens">
          <ul className="side-places">
            {places.map((place) => (
              <li key={place.to}>
                <Link to={place.to} className="side-place" activeOptions={{ exact: place.to === '/', includeSearch: false }} activeProps={{ 'aria-current': 'page' }}>
                  {place.name}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="side-foot">
          <LiveIndicator />
          <WhoAmI />
        </div>
      </aside>
      <main id="main" className="content" tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  )
}

function LiveIndicator() {
  const now = useLiveness()
  switch (now.mode) {
    case 'connecting':
      return (
        <p className="live" role="status">
          <Shape tone="busy" /> connecting
        </p>
      )
    case 'live':
      return (
        <p className="live tone-ok" role="status">
          <Shape tone="ok" /> live
        </p>
      )
    case 'polling':
      return (
        <p className="live" role="status" data-tip={`Asked again every few seconds: ${now.why}.`}>
          <Shape tone="idle" /> polling
        </p>
      )
    case 'away':
      return (
        <p className="live tone-bad" role="status">
          <Shape tone="bad" />
          <span>
            not live since <Time at={new Date(now.since).toISOString()} />
          </span>
        </p>
      )
  }
}

function WhoAmI() {
  const me = useMe()
  return (
    <div className="who">
      <p className="cut" data-tip={me.payload ? 'You see payloads unmasked.' : 'You see payloads masked.'}>
        {me.name} <span className="muted">· {me.role}</span>
      </p>
      {me.keys ? (
        <Button
          look="quiet"
          onClick={() => {
            session.signOut()
          }}
        >
          Sign out
        </Button>
      ) : (
        <p className="muted">This hub has no keys: it answers to its own machine alone.</p>
      )}
    </div>
  )
}
