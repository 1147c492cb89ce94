import { expect, test } from 'vitest'
import { eventFilter, eventQualifiers, tailFilter } from './eventFilter'
import { filterFaults, parseFilter } from '~/lib/filter'

const now = Date.parse('2026-01-31T12:00:00Z')
const faults = (text: string) => filterFaults(parseFilter(text, eventQualifiers()), eventQualifiers(), false)

test('asks for what the line says', () => {
  expect(eventFilter('type:order.* sub:billing status:failed key:"a b" age:<2h', now)).toEqual({
    type: 'order.*',
    subscription: 'billing',
    status: 'failed',
    key: 'a b',
    from: '2026-01-31T10:00:00.000Z',
  })
})

test('takes times with and without their zone', () => {
  expect(eventFilter('from:2026-01-31T10:00Z to:2026-01-31T12:30:00+01:00', now)).toEqual({ from: '2026-01-31T10:00:00.000Z', to: '2026-01-31T11:30:00.000Z' })
  expect(eventFilter('from:2026-01-31', now).from).toBe(new Date(2026, 0, 31).toISOString())
})

test('says what is wrong', () => {
  expect(faults('status:broken')).toHaveLength(1)
  expect(faults('from:yesterday')).toHaveLength(1)
  expect(faults('status:FAILED from:2026-01-31T10:00')).toEqual([])
})

test('follows what the stream can choose, and says why it cannot follow the rest', () => {
  expect(tailFilter({ type: 'order.*', subscription: 'crm', from: 'then' })).toEqual({ filter: { type: 'order.*', subscription: 'crm' } })
  expect(tailFilter({ status: 'failed' })).toHaveProperty('why')
  expect(tailFilter({ id: '1' })).toHaveProperty('why')
  expect(tailFilter({ to: 'then' })).toHaveProperty('why')
})
