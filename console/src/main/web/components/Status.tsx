import type { ReactNode } from 'react'
import './status.css'

/** Told by shape and word; the colour only helps to find it. */
export type Tone = 'ok' | 'busy' | 'warn' | 'bad' | 'idle' | 'off'

const shapes: Record<Tone, ReactNode> = {
  ok: <path d="M2 7.5 5.5 11 12 3.5" />,
  busy: <path d="M7 2v5l3.5 2M7 1.2a5.8 5.8 0 1 1-.1 0" />,
  warn: <path d="M7 1.6 13 12.4H1ZM7 5.6v3M7 10.4v.2" />,
  bad: <path d="m2.5 2.5 9 9m0-9-9 9" />,
  idle: <circle cx="7" cy="7" r="4.5" />,
  off: <path d="M4.5 2.5v9m5-9v9" />,
}

export function Shape({ tone }: { tone: Tone }) {
  return (
    <svg className={`shape tone-${tone}`} viewBox="0 0 14 14" aria-hidden="true">
      {shapes[tone]}
    </svg>
  )
}

export function Badge({ tone, children, tip }: { tone: Tone; children: ReactNode; tip?: string | undefined }) {
  return (
    <span className={`badge tone-${tone}`} data-tip={tip}>
      <Shape tone={tone} />
      <span>{children}</span>
    </span>
  )
}

const tones: Record<string, Tone> = {
  DELIVERED: 'ok',
  PENDING: 'idle',
  SENDING: 'busy',
  HELD: 'warn',
  FAILED: 'bad',
  DISCARDED: 'off',
  active: 'ok',
  pausing: 'off',
  paused: 'off',
  pending: 'idle',
  deleting: 'warn',
  locked: 'warn',
  invalid: 'bad',
  RUNNING: 'busy',
  WAITING_FOR_GO: 'warn',
  PAUSED: 'off',
  CANCELLED: 'off',
  FINISHED: 'ok',
  FORWARDING: 'busy',
  FORWARDED: 'ok',
  REFUSED: 'bad',
  IN_DOUBT: 'warn',
  FREE: 'idle',
  ABANDONED: 'off',
}

/** A state as the API writes it, in the words of a person: IN_DOUBT is "in doubt". */
export function Status({ of, tip }: { of: string | undefined; tip?: string | undefined }) {
  return of === undefined ? (
    <span className="muted">–</span>
  ) : (
    <Badge tone={tones[of] ?? 'idle'} tip={tip}>
      {of.toLowerCase().replaceAll('_', ' ')}
    </Badge>
  )
}
