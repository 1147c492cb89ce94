import { expect, test } from 'vitest'
import { bytesOf, hexLines, textOf } from './payload'

test('reads base64 byte for byte', () => {
  expect([...bytesOf('AAH/aGk=')]).toEqual([0, 1, 255, 104, 105])
})

test('takes for text only what is text', () => {
  expect(textOf(bytesOf('w6R0'))).toBe('ät')
  expect(textOf(bytesOf('AAH/'))).toBeUndefined()
})

test('writes bytes as hex with the letters beside', () => {
  const lines = hexLines(new Uint8Array([...new TextEncoder().encode('0123456789abcdef'), 0, 65]), 100).split('\n')
  expect(lines).toEqual([
    '00000000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  0123456789abcdef',
    '00000010  00 41                                             ·A',
  ])
})

test('stops where it is told to', () => {
  expect(hexLines(new Uint8Array(100), 16).split('\n')).toHaveLength(1)
})
