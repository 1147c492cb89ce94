/** A payload that is no JSON: its bytes, and what they look like. */
export function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

/** The text that the bytes are in UTF-8; undefined if they are not. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const width = 16

/** Sixteen bytes a line: where they stand, what they are, and those that are letters. */
export function hexLines(bytes: Uint8Array, most: number): string {
  const lines: string[] = []
  for (let at = 0; at < Math.min(bytes.length, most); at += width) {
    const some = [...bytes.subarray(at, Math.min(at + width, most))]
    const hex = some.map((byte) => byte.toString(16).padStart(2, '0'))
    const left = hex.slice(0, 8).join(' ').padEnd(23)
    const right = hex.slice(8).join(' ').padEnd(23)
    const letters = some.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('')
    lines.push(`${at.toString(16).padStart(8, '0')}  ${left}  ${right}  ${letters}`)
  }
  return lines.join('\n')
}
