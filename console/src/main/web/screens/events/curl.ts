import type { EventDetail } from '~/api/events'

/** A word of a POSIX shell that is nothing but this text, whatever is in it. */
export const shellWord = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

/** As CloudEvents has header values: what is not visible ASCII, a quote or a percent sign is written as the bytes of its UTF-8. */
export function headerValue(text: string): string {
  const bytes = [...new TextEncoder().encode(text)]
  return bytes
    .map((byte) => (byte > 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x25 ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`))
    .join('')
}

/** Asks the hub for the event. The key is left to the shell: a command that is sent around must not hold it. */
export function lookCommand(origin: string, id: string, keys: boolean): string {
  const words = ['curl', ...(keys ? ['-H', '"Authorization: Bearer $POSTHORN_KEY"'] : []), shellWord(`${origin}/v1/events/${encodeURIComponent(id)}`)]
  return words.join(' ')
}

/** Sends the event to a receiver of one's own as the hub's http sink does in its binary form, but for signature and credentials. */
export function deliverCommand(event: EventDetail, receiver: string): string {
  const headers: [string, string][] = [
    ['Content-Type', event.contentType ?? 'application/octet-stream'],
    ['ce-specversion', '1.0'],
    ['ce-id', headerValue(event.sourceId ?? event.id ?? '')],
    ['ce-source', headerValue(event.source ?? '')],
    ['ce-type', headerValue(event.type ?? '')],
    ...(event.occurredAt === undefined ? [] : [['ce-time', event.occurredAt] satisfies [string, string]]),
    ['webhook-id', event.id ?? ''],
    ...Object.entries(event.headers ?? {}).map(([name, value]): [string, string] => [name, plain(value) ? value : headerValue(value)]),
  ]
  const body = event.dataBase64 === undefined ? ['--data-binary', shellWord(event.dataText ?? '')] : ['--data-binary', '@-']
  const words = [
    `curl ${shellWord(receiver)}`,
    ...headers.map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
    body.join(' '),
  ]
  const command = words.join(' \\\n  ')
  return event.dataBase64 === undefined ? command : `printf %s ${shellWord(event.dataBase64)} | base64 -d | ${command}`
}

const plain = (value: string) => /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
