import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { deliverCommand, headerValue, lookCommand, shellWord } from './curl'

const nasty = `it's $(touch /tmp/never) \`x\` "q" \\ !! \n"><img src=x onerror=alert(1)>`

/** What a shell makes of the command's words, with another program in curl's place. */
function wordsOf(command: string): string[] {
  const out = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], { encoding: 'utf8' })
  return out.split('\0').slice(0, -1)
}

test('a shell reads a word as it was', () => {
  expect(wordsOf(`curl ${shellWord(nasty)} ${shellWord('plain-1.0')}`)).toEqual([nasty, 'plain-1.0'])
})

test('encodes what a header cannot hold', () => {
  expect(headerValue('a b"ä%')).toBe('a%20b%22%C3%A4%25')
})

test('asks by the id, and leaves the key to the shell', () => {
  expect(lookCommand('http://hub:8080', 'order-7/placed', true)).toBe('curl -H "Authorization: Bearer $POSTHORN_KEY" http://hub:8080/v1/events/order-7%2Fplaced')
  expect(lookCommand('http://hub:8080', 'a', false)).toBe('curl http://hub:8080/v1/events/a')
})

test('delivers an event with its headers and its very payload', () => {
  const dataText = `{"n":9007199254740993,"t":${JSON.stringify(nasty)}}`
  const words = wordsOf(deliverCommand({ id: 'u', sourceId: nasty, source: '/shop', type: 'order.placed', contentType: 'application/json', headers: { tenant: nasty }, dataText }, 'http://localhost:3000/'))
  expect(words[0]).toBe('http://localhost:3000/')
  expect(words).toContain(`ce-id: ${headerValue(nasty)}`)
  expect(words).toContain(`tenant: ${headerValue(nasty)}`)
  expect(words.at(-1)).toBe(dataText)
})

test('delivers bytes by way of base64', () => {
  expect(deliverCommand({ id: 'u', dataBase64: 'AAH/' }, 'http://x/')).toMatch(/^printf %s AAH\/ \| base64 -d \| curl http:\/\/x\/ /)
})
