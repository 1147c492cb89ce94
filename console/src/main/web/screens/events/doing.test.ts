import { expect, test } from 'vitest'
import { deferable, inputTime, present, replayable } from './doing'

test('takes the dead letter of what failed, and the log for what was delivered or never wanted', () => {
  expect(replayable({ status: 'FAILED' })).toEqual({ deadLetter: true })
  expect(replayable({ status: 'DELIVERED' })).toEqual({ deadLetter: false })
  expect(replayable(undefined)).toEqual({ deadLetter: false })
})

test('does not replay what is on its way or was discarded', () => {
  expect(replayable({ status: 'HELD' })).toHaveProperty('why')
  expect(replayable({ status: 'DISCARDED' })).toHaveProperty('why')
})

test('leaves deleted subscriptions out', () => {
  const subscriptions = [
    { subscription: 'gone', status: 'PENDING' as const, deletedAt: '2026-01-31T12:00:00Z' },
    { subscription: 'here', status: 'PENDING' as const },
    { subscription: 'done', status: 'DELIVERED' as const },
  ]
  expect(present({ subscriptions })).toHaveLength(2)
  expect(deferable({ subscriptions }).map((one) => one.subscription)).toEqual(['here'])
})

test('writes a time as an input has it', () => {
  expect(inputTime(new Date(2026, 0, 3, 4, 5))).toBe('2026-01-03T04:05')
})
