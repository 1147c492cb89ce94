import { useEffect, type ReactNode } from 'react'
import './page.css'

interface PageProps {
  title: string
  /** Beside the title: a status, a name to copy. */
  beside?: ReactNode
  /** What one can do here, at the right. */
  actions?: ReactNode
  /** One plain sentence, where the title does not say enough. */
  about?: ReactNode
  children: ReactNode
}

/** Every screen is one of these: it names the browser's tab and the landmark, and gives all screens the same head. */
export function Page({ title, beside, actions, about, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Posthorn`
  }, [title])
  return (
    <div className="page">
      <header className="page-head">
        <div className="page-title">
          <h1 className="wrap">{title}</h1>
          {beside}
        </div>
        {actions !== undefined && <div className="row">{actions}</div>}
        {about !== undefined && <p className="muted page-about">{about}</p>}
      </header>
      {children}
    </div>
  )
}

/** A part of a screen with a name of its own. */
export function Section({ title, actions, flush = false, children }: { title: string; actions?: ReactNode; flush?: boolean; children: ReactNode }) {
  return (
    <section className={`panel${flush ? ' panel-flush' : ''}`} aria-label={title}>
      <div className="panel-head">
        <h2>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  )
}

/** Names and values, as many columns as fit. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="facts">{children}</dl>
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="wrap">{children}</dd>
    </div>
  )
}

/** A figure that is read from across the room. */
export function Tile({ name, value, note }: { name: string; value: ReactNode; note?: ReactNode }) {
  return (
    <div className="tile">
      <dt>{name}</dt>
      <dd className="tile-value">{value}</dd>
      {note !== undefined && <dd className="tile-note">{note}</dd>}
    </div>
  )
}

export function Tiles({ children }: { children: ReactNode }) {
  return <dl className="tiles">{children}</dl>
}
