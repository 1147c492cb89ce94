import { describe, expect, it } from 'vitest'
import { ageBounds, completions, filterFaults, filterValues, parseFilter, withTerm, writeTerm, type Qualifier } from './filter'
import { durationMillis } from './format'

const qualifiers: Qualifier[] = [
  { name: 'type', about: 'the type' },
  { name: 'status', about: 'the status', values: ['failed', 'pending', 'delivered'], check: (value) => (value === 'odd' ? 'is odd' : undefined) },
  { name: 'key', about: 'the key', values: (begin) => Promise.resolve([`${begin}1`, `${begin}2`]) },
]

const parse = (text: string) => parseFilter(text, qualifiers).map(({ qualifier, value }) => [qualifier, value])

describe('the filter', () => {
  it('reads terms, quoted ones too', () => {
    expect(parse('type:order.* key:"a \\"b\\" c"  refused "two words"')).toEqual([
      ['type', 'order.*'],
      ['key', 'a "b" c'],
      [undefined, 'refused'],
      [undefined, 'two words'],
    ])
  })

  it('takes for a word what no qualifier claims', () => {
    expect(parse('urn:a:b STATUS:failed type:')).toEqual([
      [undefined, 'urn:a:b'],
      ['status', 'failed'],
      ['type', ''],
    ])
  })

  it('reads every text to its end', () => {
    for (const text of ['"', 'type:"', 'a"b', 'type:"a', '::', '\\', 'type:a"b c', '" "', 'key:"a\\']) {
      const terms = parseFilter(text, qualifiers)
      expect(terms.at(-1)?.to, text).toBe(text.length)
    }
  })

  it.each(['plain', 'with space', 'with "quotes"', 'back\\slash', 'a:b', '<img src=x onerror=alert(1)>', '"', ' '])('writes %s so that it reads the same', (value) => {
    expect(parse(writeTerm('key', value))).toEqual([['key', value]])
    expect(parse(writeTerm(undefined, value))).toEqual([[undefined, value]])
  })

  it('sets and takes away a term and leaves the others', () => {
    expect(withTerm('type:a word status:failed', qualifiers, 'status', 'pending')).toBe('type:a word status:pending')
    expect(withTerm('type:a word status:failed', qualifiers, 'type', undefined)).toBe('word status:failed')
  })

  it('says what breaks a rule', () => {
    const faults = (text: string, words = false) => filterFaults(parseFilter(text, qualifiers), qualifiers, words)
    expect(faults('status:odd')).toEqual(['status: is odd'])
    expect(faults('status:failed status:pending')).toEqual(['status: is there twice'])
    expect(faults('type:')).toEqual(['type: has no value'])
    expect(faults('hello')).toHaveLength(1)
    expect(faults('hello', true)).toEqual([])
  })

  it('gives values and words', () => {
    expect(filterValues(parseFilter('a status:failed b', qualifiers))).toEqual({ values: { status: 'failed' }, words: 'a b' })
  })
})

describe('completion', () => {
  const texts = async (text: string, caret = text.length) => (await completions(text, caret, qualifiers)).options.map((option) => option.text)

  it('offers qualifiers that are not there yet', async () => {
    expect(await texts('')).toEqual(['type:', 'status:', 'key:'])
    expect(await texts('type:a ')).toEqual(['status:', 'key:'])
    expect(await texts('st')).toEqual(['status:'])
  })

  it('offers values behind a qualifier, wherever the caret is', async () => {
    expect(await texts('status:')).toEqual(['failed', 'pending', 'delivered'])
    expect(await texts('status:p type:x', 8)).toEqual(['pending'])
    expect(await texts('key:4')).toEqual(['41', '42'])
  })
})

it('turns an age into a time', () => {
  const now = Date.parse('2026-01-01T12:00:00.500Z')
  expect(ageBounds('<2h', now, durationMillis)).toEqual({ from: '2026-01-01T10:00:00.000Z' })
  expect(ageBounds('>30m', now, durationMillis)).toEqual({ to: '2026-01-01T11:30:00.000Z' })
  expect(ageBounds('2h', now, durationMillis)).toBeUndefined()
  expect(ageBounds('<soon', now, durationMillis)).toBeUndefined()
})
