import { describe, expect, it } from 'vitest'
import { nameFault, newKeyOf, scopeOf } from './newKey'

const draft = { name: 'shop', role: 'publisher' as const, payload: true, sources: ' shop \n\n', types: '' }

describe('a new key', () => {
  it('says only what its role may have', () => {
    expect(newKeyOf(draft)).toEqual({ name: 'shop', role: 'publisher', sources: ['shop'] })
    expect(newKeyOf({ ...draft, role: 'viewer' })).toEqual({ name: 'shop', role: 'viewer', payload: true })
    expect(newKeyOf({ ...draft, role: 'admin', payload: false })).toEqual({ name: 'shop', role: 'admin' })
  })

  it('has a name that fits into a path', () => {
    expect(['a', 'a.b-c_1', '', '-a', 'a b', 'a'.repeat(101)].map((name) => nameFault(name) === undefined)).toEqual([true, true, false, false, false, false])
  })

  it('tells what it may publish', () => {
    expect(scopeOf({ name: 'a', role: 'publisher', types: ['order.*'], sources: ['shop'] })).toBe('types order.*; sources shop')
    expect(scopeOf({ name: 'a', role: 'publisher' })).toBe('anything')
    expect(scopeOf({ name: 'a', role: 'viewer' })).toBe('nothing')
  })
})
