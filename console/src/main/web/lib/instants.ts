/**
 * A time as one types it, as the API takes it: "2026-01-31", "2026-01-31T14:05" and the like in the viewer's zone, or with a zone
 * of its own. Undefined if it is none.
 */
export function instantOf(text: string): string | undefined {
  const match = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/.exec(text)
  if (match === null) {
    return undefined
  }
  // A date alone is read as UTC by the browser, which is nobody's midnight but Greenwich's.
  const instant = new Date(match[1] === undefined ? `${text}T00:00` : text)
  return Number.isNaN(instant.getTime()) ? undefined : instant.toISOString()
}

/** What an input of type datetime-local shows: the viewer's zone, to the minute. */
export function localInput(instant: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${instant.getFullYear()}-${two(instant.getMonth() + 1)}-${two(instant.getDate())}T${two(instant.getHours())}:${two(instant.getMinutes())}`
}
