/** Numbers, durations and times as they are written everywhere in the console. The machine's locale, but never its guesses. */
const counts = new Intl.NumberFormat()
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const oneDigit = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })
const percents = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })

export const count = (value: number) => counts.format(value)

/** For tiles and axes; a table has room for the whole number. */
export const shortCount = (value: number) => (Math.abs(value) < 10_000 ? counts.format(value) : compact.format(value))

export const rate = (perSecond: number) => `${perSecond > 0 && perSecond < 0.1 ? '< 0.1' : oneDigit.format(perSecond)}/s`

export const percent = (share: number) => percents.format(share)

export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let at = 0
  let rest = value
  while (rest >= 1000 && at < units.length - 1) {
    rest /= 1000
    at++
  }
  return `${oneDigit.format(rest)} ${units[at] ?? ''}`
}

const unitMillis: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The API's durations: "250ms", "30s", "1h30m", "2d". Undefined if it is none. */
export function durationMillis(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(text)) {
    return undefined
  }
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * (unitMillis[unit ?? ''] ?? 0),
    0,
  )
}

/** Two units at most: nobody reads the third. */
export function duration(millis: number): string {
  if (millis < 1000) {
    return `${Math.max(0, Math.round(millis))} ms`
  }
  if (millis < 10_000) {
    return `${oneDigit.format(millis / 1000)} s`
  }
  const seconds = Math.round(millis / 1000)
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ]
  const first = parts.findIndex(([value]) => value > 0)
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(' ')
}

/** "3 min ago", "in 2 h". One unit: an age that is looked at in passing. */
export function age(then: number, now: number): string {
  const distance = Math.abs(now - then)
  if (distance < 1000) {
    return 'now'
  }
  const text = duration(distance < 10_000 ? Math.floor(distance / 1000) * 1000 : distance).replace(/^(\d+ (?:d|h|min)) .*/, '$1')
  return then <= now ? `${text} ago` : `in ${text}`
}

const localTimes = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' })
const clockTimes = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' })

/** Told when it is, the date is left out for today's times. */
export function localTime(instant: Date, now?: Date): string {
  return instant.toDateString() === now?.toDateString() ? clockTimes.format(instant) : localTimes.format(instant)
}

/** 2026-01-31 14:05:09.123 UTC */
export const utcTime = (instant: Date) => instant.toISOString().replace('T', ' ').replace('Z', ' UTC')

export const viewerZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone
