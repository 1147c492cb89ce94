/** A piece of a text that people wrote; `href` if it is an address of the web. */
export interface Piece {
  text: string
  href?: string
}

const address = /https?:\/\/[^\s<>"']+/g

/** Takes the web addresses out of a text, such as a ticket's out of a note. Only http and https: nothing else may become a link. */
export function linkedText(text: string): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const match of text.matchAll(address)) {
    // A full stop behind an address ends the sentence, and not the address.
    const found = match[0].replace(/[.,;:!?)\]}]+$/, '')
    if (!URL.canParse(found)) {
      continue
    }
    if (match.index > at) {
      pieces.push({ text: text.slice(at, match.index) })
    }
    pieces.push({ text: found, href: found })
    at = match.index + found.length
  }
  return at < text.length ? [...pieces, { text: text.slice(at) }] : pieces
}
