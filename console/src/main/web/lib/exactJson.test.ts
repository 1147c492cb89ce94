import { describe, expect, it } from 'vitest'
import { readJson, writeJson } from './exactJson'

describe('exact JSON', () => {
  it('keeps integers that a double cannot hold', () => {
    expect(writeJson(readJson('{"id":9007199254740993,"sum":1.10,"huge":1e400}'))).toBe(
      '{\n  "id": 9007199254740993,\n  "sum": 1.10,\n  "huge": 1e400\n}',
    )
  })

  it('keeps the order of members and members that come twice', () => {
    const value = readJson('{"b":1,"2":2,"a":3,"b":4,"__proto__":5}')
    expect(value.kind === 'object' && value.members.map((member) => member.name)).toEqual(['b', '2', 'a', 'b', '__proto__'])
  })

  it('reads escapes and says where a document breaks', () => {
    expect(readJson('"\\u00e4\\n\\""')).toEqual({ kind: 'string', value: 'ä\n"' })
    for (const broken of ['{"a":}', '[1,]', '01', 'nul', '"\n"', '{} {}', '', '{"a" 1}']) {
      expect(() => readJson(broken), broken).toThrow(/at character \d+/)
    }
  })

  it('refuses what is nested too deeply instead of overflowing', () => {
    expect(() => readJson('['.repeat(100_000))).toThrow(/nested deeper/)
  })
})
