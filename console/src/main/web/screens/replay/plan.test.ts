import { describe, expect, it } from 'vitest'
import { planDocument, planFaults, planSearch, scopeDocument, scopeFaults } from './plan'

const now = Date.parse('2026-01-31T12:00:00Z')

describe('the plan of a replay', () => {
  it('keeps of the address what it knows', () => {
    expect(planSearch({ ids: 42, scope: 'ids', step: 'plan', then: 'go-on', canary: 10, other: 'x', q: { a: 1 } })).toEqual({
      ids: '42',
      scope: 'ids',
      step: 'plan',
      then: 'go-on',
      canary: '10',
    })
  })

  it('selects dead letters by filter or by number', () => {
    expect(scopeDocument({ q: 'sub:billing age:<2h' }, now)).toEqual({ filter: { subscriberId: 'billing', from: '2026-01-31T10:00:00.000Z' } })
    expect(scopeDocument({}, now)).toEqual({ filter: {} })
    expect(scopeDocument({ scope: 'ids', ids: '7' }, now)).toEqual({ id: 7 })
    expect(scopeDocument({ scope: 'ids', ids: '7,8' }, now)).toEqual({ ids: [7, 8] })
    expect(scopeDocument({ scope: 'ids', ids: '7,x' }, now)).toBeUndefined()
  })

  it('selects a history when it is whole', () => {
    expect(Object.keys(scopeFaults({ scope: 'history' }))).toEqual(['sub', 'from', 'to'])
    const plan = { scope: 'history', sub: 'ledger', from: '2026-01-01T00:00Z', to: '2026-02-01T00:00Z', types: 'payment.*, order.placed' } as const
    expect(scopeDocument(plan, now)).toEqual({
      history: { subscriberId: 'ledger', from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z', types: ['payment.*', 'order.placed'] },
    })
    expect(scopeFaults({ ...plan, to: plan.from })).toEqual({ to: 'must be later than the beginning' })
    expect(scopeDocument({ scope: 'history', sub: 'ledger', event: 'e' }, now)).toEqual({ history: { subscriberId: 'ledger', eventId: 'e' } })
  })

  it('says how it is sent', () => {
    expect(planDocument({})).toEqual({})
    expect(planDocument({ canary: '10', rate: '0.5', inFlight: '4', stop: '20' })).toEqual({
      canary: { count: 10, then: 'wait' },
      ratePerSecond: 0.5,
      maxInFlight: 4,
      stopAtFailureRate: 0.2,
    })
    expect(Object.keys(planFaults({ canary: '0', rate: '-1', inFlight: '1.5', stop: '101' })).sort()).toEqual(['canary', 'inFlight', 'rate', 'stop'])
  })
})
