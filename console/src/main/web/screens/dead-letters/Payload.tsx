import { JsonView } from '~/components/JsonView'
import type { DeadLetterDetail } from '~/api/deadLetters'
import { bytesOf, hexLines, textOf } from '~/lib/bytes'
import { bytes as size } from '~/lib/format'

/** As JSON if it is, else as text, else as bytes; or the reason why it is not shown. */
export function Payload({ of }: { of: DeadLetterDetail }) {
  if (of.payloadHidden === true) {
    return <p className="muted">Your key may not see payloads. An admin can make one that may.</p>
  }
  if (of.dataText !== undefined) {
    return <JsonView text={of.dataText} />
  }
  if (of.dataBase64 === undefined) {
    return <p className="muted">It has none.</p>
  }
  const bytes = bytesOf(of.dataBase64)
  const text = textOf(bytes)
  return (
    <div className="stack">
      {of.decoded !== undefined && (
        <div>
          <p className="muted">Decoded by its type’s descriptor:</p>
          <JsonView text={JSON.stringify(of.decoded)} />
        </div>
      )}
      <p className="muted">{size(bytes.length)}</p>
      <pre className="payload">{text ?? hexLines(bytes.subarray(0, 4096))}</pre>
      {text === undefined && bytes.length > 4096 && <p className="muted">The first 4,096 bytes are shown.</p>}
    </div>
  )
}
