import { expect, it } from 'vitest'
import { instantOf, localInput } from './instants'

it('reads times with and without a zone', () => {
  expect(instantOf('2026-01-31T14:05Z')).toBe('2026-01-31T14:05:00.000Z')
  expect(instantOf('2026-01-31')).toBe(new Date(2026, 0, 31).toISOString())
  expect(instantOf('2026-01-31T14:05')).toBe(new Date(2026, 0, 31, 14, 5).toISOString())
  expect(instantOf('2026-13-31')).toBeUndefined()
  expect(instantOf('yesterday')).toBeUndefined()
})

it('writes what the input takes', () => {
  expect(localInput(new Date(2026, 0, 2, 3, 4))).toBe('2026-01-02T03:04')
})
