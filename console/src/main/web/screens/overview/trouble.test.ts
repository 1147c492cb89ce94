import { expect, test } from 'vitest'
import { perSecond, standing, trendInWords } from './trouble'

test('tells the reason that the hub gives, and does without one', () => {
  expect(standing({ trouble: 'breaker-open', breaker: { reason: 'Connection refused' } }).tip).toBe('Its receiver is not reached or does not answer: Connection refused')
  expect(standing({ trouble: 'denial' }).tip).toBe('Its receiver answers and refuses everything.')
})

test('says how many lanes nobody delivers', () => {
  expect(standing({ trouble: 'not-served', lanes: 8, ownedLanes: 5 }).tip).toBe('3 of its 8 lanes have no owner.')
})

test('says that a subscription without trouble is well', () => {
  expect(standing({}).word).toBe('well')
})

test('makes rates of counts', () => {
  expect(perSecond([10, 0, 25], 10)).toEqual([1, 0, 2.5])
  expect(perSecond(undefined, 10)).toEqual([])
})

test('puts a trend in words', () => {
  expect(trendInWords([1, 2, 3], [0, 1, 0])).toBe('6 delivered and 1 failed attempts in the last hour, 3 delivered in the last minute')
})
