const longestWait = 30_000

/** Doubles from half a second to half a minute, each spread by half, so that a crowd of pages does not come back at once. */
export function backoff(failures: number, random: () => number = Math.random): number {
  return Math.min(longestWait, 500 * 2 ** Math.min(failures, 10)) * (0.75 + random() / 2)
}
