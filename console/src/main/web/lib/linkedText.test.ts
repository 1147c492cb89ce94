import { expect, it } from 'vitest'
import { linkedText } from './linkedText'

it('finds the addresses in a note', () => {
  expect(linkedText('see https://tickets.example/OPS-17. Bob')).toEqual([
    { text: 'see ' },
    { text: 'https://tickets.example/OPS-17', href: 'https://tickets.example/OPS-17' },
    { text: '. Bob' },
  ])
  expect(linkedText('ticket 17')).toEqual([{ text: 'ticket 17' }])
  expect(linkedText('')).toEqual([])
})

it('makes a link of nothing else', () => {
  for (const text of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'https://', '"><img src=x>']) {
    expect(linkedText(text).some((piece) => piece.href !== undefined)).toBe(false)
  }
})
