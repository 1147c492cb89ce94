import { expect, test } from 'vitest'
import { joined, merged, most } from './tail'

const of = (...ids: string[]) => ids.map((id) => ({ id }))

test('puts news before what was there, each once', () => {
  expect(joined(of('c', 'b'), of('b', 'a'))).toEqual(of('c', 'b', 'a'))
})

test('keeps no more than a page can hold', () => {
  const many = Array.from({ length: most }, (_, index) => ({ id: `old-${index}` }))
  expect(joined(of('new'), many)).toHaveLength(most)
})

test('takes the status from the list', () => {
  expect(merged(of('c', 'b'), [{ id: 'b', status: 'DELIVERED' }, { id: 'a', status: 'FAILED' }])).toEqual([{ id: 'c' }, { id: 'b', status: 'DELIVERED' }, { id: 'a', status: 'FAILED' }])
})
