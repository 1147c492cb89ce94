import { expect, it } from 'vitest'
import { bytesOf, hexLines, textOf } from './bytes'

it('tells text from other bytes', () => {
  expect(textOf(bytesOf('aMOkCg=='))).toBe('hä\n')
  expect(textOf(Uint8Array.of(0xc3))).toBeUndefined()
  expect(textOf(Uint8Array.of(65, 0, 66))).toBeUndefined()
})

it('writes bytes as hex and ASCII', () => {
  expect(hexLines(Uint8Array.of(0, 65, 255))).toBe(`00000000  ${'00 41 ff'.padEnd(47)}  .A.`)
})
