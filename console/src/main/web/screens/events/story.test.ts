import { expect, test } from 'vitest'
import { beginning, byTrouble, chapters, lastEnd, marks } from './story'

const recordedAt = '2026-01-31T12:00:00Z'
const begun = Date.parse(recordedAt)

test('begins with what is known of the time before', () => {
  const told = beginning({ occurredAt: '2026-01-31T11:59:59Z', recordedAt, deliverAt: '2026-01-31T13:00:00Z' }, begun)
  expect(told.map((one) => one.what)).toEqual(['Occurred', 'Recorded', 'To be delivered from then on'])
  expect(beginning({ recordedAt }, begun).map((one) => one.what)).toEqual(['Recorded'])
})

test('tells every attempt, and when the next one is due', () => {
  const told = chapters({ status: 'PENDING', attempts: 1, nextAttemptAt: '2026-01-31T12:00:30Z', made: [{ number: 1, startedAt: recordedAt, outcome: 'RETRY' }] })
  expect(told.map((one) => one.what)).toEqual(['Attempt 1 · failed, may be tried again', 'Next attempt'])
  expect(told[1]?.ahead).toBe(true)
})

test('says why a delivered event may have no attempts', () => {
  expect(chapters({ status: 'DELIVERED', attempts: 1, made: [] })).toMatchObject([{ what: 'Delivered', detail: expect.stringContaining('no record') as string }])
})

test('does not tell a delivery twice', () => {
  expect(chapters({ status: 'DELIVERED', attempts: 1, made: [{ number: 1, outcome: 'DELIVERED', startedAt: recordedAt }] })).toHaveLength(1)
})

test('says that attempts are missing', () => {
  expect(chapters({ status: 'FAILED', attempts: 3, made: [{ number: 3, outcome: 'REJECT', startedAt: recordedAt }] }).map((one) => one.what)).toEqual([
    '2 attempts without a record',
    'Attempt 3 · refused for good',
    'Became a dead letter',
  ])
})

test('marks attempts along the time of all', () => {
  const item = { made: [{ startedAt: recordedAt, tookMillis: 500, outcome: 'RETRY' }, { startedAt: '2026-01-31T12:00:01Z', tookMillis: 1, outcome: 'DELIVERED' }] }
  const end = lastEnd([item])
  expect(end).toBe(begun + 1001)
  const drawn = marks(item, begun, end ?? 0)
  expect(drawn[0]).toMatchObject({ from: 0, width: 500 })
  expect((drawn[1]?.from ?? 0) + (drawn[1]?.width ?? 0)).toBe(1000)
})

test('has the worst first', () => {
  expect(byTrouble([{ subscription: 'a', status: 'DELIVERED' }, { subscription: 'b', status: 'FAILED' }]).map((one) => one.subscription)).toEqual(['b', 'a'])
})
