import { linkedText } from '~/lib/linkedText'

/** A note, with the ticket that it names as a link. */
export function NoteText({ text }: { text: string }) {
  return linkedText(text).map((piece, index) =>
    piece.href === undefined ? (
      piece.text
    ) : (
      <a key={index} href={piece.href} target="_blank" rel="noopener noreferrer">
        {piece.text}
      </a>
    ),
  )
}
