import { describe, expect, it } from 'vitest'
import { deadLetterFilter, groupText, namedGroup } from './deadLetterFilter'

const now = Date.parse('2026-01-31T12:00:00Z')

describe('the filter of dead letters', () => {
  it('names the fields as the API does', () => {
    expect(deadLetterFilter('sub:billing class:timeout attempts:3 replayed:no discarded:any id:e-1', now)).toEqual({
      subscriberId: 'billing',
      errorClass: 'timeout',
      attemptsAtLeast: '3',
      replayed: 'no',
      discarded: 'any',
      messageId: 'e-1',
    })
  })

  it('seeks words in the message', () => {
    expect(deadLetterFilter('connection "was refused"', now)).toEqual({ errorMessage: 'connection was refused' })
  })

  it('counts ages back, and takes times with their zone', () => {
    expect(deadLetterFilter('age:<2h', now)).toEqual({ from: '2026-01-31T10:00:00.000Z' })
    expect(deadLetterFilter('from:2026-01-31T00:00:00+01:00', now)).toEqual({ from: '2026-01-30T23:00:00.000Z' })
  })

  it('leaves nothing out that was asked for, even if it is wrong', () => {
    expect(deadLetterFilter('to:yesterday', now)).toEqual({ to: 'yesterday' })
  })

  it('finds a group again, whatever its cause holds', () => {
    const group = { subscriberId: 'crm', errorClass: 'server-error', cause: '# "no\\" <img src=x> type:a' }
    const filter = deadLetterFilter(groupText(group), now)
    expect(filter).toEqual(group)
    expect(namedGroup(filter)).toEqual(group)
    expect(namedGroup({ subscriberId: 'crm' })).toBeUndefined()
  })
})
