import { expect, it } from 'vitest'
import { backoff } from './backoff'

it('waits longer with every failure, and never longer than asked for', () => {
  const waits = [0, 1, 2, 3, 4, 5, 6, 50].map((failures) => backoff(failures, () => 0.5))
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  expect(backoff(0, () => 0)).toBe(375)
  expect(backoff(0, () => 1)).toBe(625)
})
