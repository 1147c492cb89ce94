import { describe, expect, it } from 'vitest'
import { documentOf, faultAt, linesOf, numberOf, readDocument, valueAt, withValue } from './document'

describe('a document that is being written', () => {
  it('keeps what the form does not know', () => {
    const doc = { sink: { kind: 'http', later: { deep: 1 } }, other: true }
    expect(withValue(doc, 'sink.url', 'https://a')).toEqual({ sink: { kind: 'http', later: { deep: 1 }, url: 'https://a' }, other: true })
    expect(valueAt(doc, 'sink.later.deep')).toBe(1)
    expect(valueAt(doc, 'sink.kind.deep')).toBeUndefined()
  })

  it('loses the objects that a field taken out leaves empty', () => {
    expect(withValue({ filter: { types: ['a'] }, lanes: 2 }, 'filter.types', undefined)).toEqual({ lanes: 2 })
    expect(withValue({ retry: { maxAttempts: 3, delays: ['1s'] } }, 'retry.delays', undefined)).toEqual({ retry: { maxAttempts: 3 } })
    expect(withValue({}, 'retry.delays', undefined)).toEqual({})
  })

  it('tells a broken rule beside its field, and that of a part beside the whole', () => {
    const violations = [
      { field: 'sink.url', rule: 'is missing' },
      { field: 'retry.delays[1]', rule: 'is no duration' },
      { field: 'sink.urls', rule: 'is unknown' },
    ]
    expect(faultAt(violations, 'sink.url')).toBe('is missing')
    expect(faultAt(violations, 'retry.delays')).toBe('[1] is no duration')
    expect(faultAt(violations, 'timeout')).toBeUndefined()
  })

  it('sends what is no number as it was typed, for the hub to refuse', () => {
    expect([numberOf('12'), numberOf(' 0.5 '), numberOf('many'), numberOf(' ')]).toEqual([12, 0.5, 'many', undefined])
    expect(linesOf(' a \n\n b')).toEqual(['a', 'b'])
    expect(linesOf(' \n')).toBeUndefined()
  })

  it('is no answer: how it stands is not part of it', () => {
    expect(documentOf({ name: 'a', revision: 3, state: 'active', paused: false, lanes: 4 })).toEqual({ lanes: 4 })
  })

  it('is an object', () => {
    expect(readDocument('{"lanes": 4}')).toEqual({ doc: { lanes: 4 } })
    expect(readDocument('[]')).toHaveProperty('fault')
    expect(readDocument('{"lanes": ')).toHaveProperty('fault')
  })
})
