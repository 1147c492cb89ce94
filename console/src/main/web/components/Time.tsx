import { useNow } from '~/lib/clock'
import { age, localTime, utcTime, viewerZone } from '~/lib/format'

interface TimeProps {
  at: string | undefined
  /** What stands there if there is no time. */
  none?: string
  /** The time alone, the age alone, or one after the other. */
  show?: 'time' | 'age' | 'both'
  /** In a table the row has the focus, not each of its times; elsewhere a time can be focused to read its UTC. */
  focusable?: boolean
}

/** A time in the viewer's zone; in UTC, to the millisecond, where one points or focuses. */
export function Time({ at, none = '–', show = 'time', focusable = true }: TimeProps) {
  const now = useNow()
  const instant = at === undefined ? undefined : new Date(at)
  if (instant === undefined || Number.isNaN(instant.getTime())) {
    return <span className="muted">{none}</span>
  }
  const zone = viewerZone()
  const local = localTime(instant, new Date(now))
  const old = age(instant.getTime(), now)
  const text = { time: local, age: old, both: `${local} (${old})` }[show]
  return (
    <time
      dateTime={at}
      data-tip={zone === 'UTC' ? utcTime(instant) : `${utcTime(instant)} · ${localTime(instant)} ${zone}`}
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the UTC time must be reachable without a pointer
      tabIndex={focusable ? 0 : undefined}
    >
      {text}
    </time>
  )
}
