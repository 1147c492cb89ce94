import { expect, it } from 'vitest'
import { differences } from './diff'

it('tells what was added, taken out and changed, field by field', () => {
  const before = { timeout: '10s', filter: { types: ['a', 'b'] }, sink: { kind: 'http', headers: { 'x.y': '1' } } }
  const after = { timeout: '5s', filter: { types: ['a'] }, sink: { kind: 'http' }, lanes: 2 }
  expect(differences(before, after)).toEqual([
    { path: 'filter.types', before: '["a","b"]', after: '["a"]' },
    { path: 'lanes', before: undefined, after: '2' },
    { path: 'sink.headers."x.y"', before: '"1"', after: undefined },
    { path: 'timeout', before: '"10s"', after: '"5s"' },
  ])
})

it('finds nothing where nothing changed, also in another order', () => {
  expect(differences({ a: 1, b: { c: [] } }, { b: { c: [] }, a: 1 })).toEqual([])
  expect(differences(undefined, { a: 1 })).toEqual([{ path: 'a', before: undefined, after: '1' }])
})
