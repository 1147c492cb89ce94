import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { EventDetail } from '~/api/events'
import { useMe } from '~/api/session'
import { CopyButton } from '~/components/CopyButton'
import { JsonView } from '~/components/JsonView'
import { Empty, NoPermission } from '~/components/states'
import { bytes as size, count } from '~/lib/format'
import { bytesOf, hexLines, textOf } from './payload'

const route = getRouteApi('/events/$id')

/** More than this is no help to a reader; the whole is to be had by the look-up. */
const mostHex = 16 * 1024

const names: Record<string, string> = { json: 'JSON', decoded: 'Decoded', text: 'Text', hex: 'Hex' }

export function Payload({ event }: { event: EventDetail }) {
  const { payload } = useMe()
  const { as } = route.useSearch()
  const navigate = route.useNavigate()
  const { dataText, dataBase64, decoded } = event
  const bytes = useMemo(() => (dataBase64 === undefined ? new TextEncoder().encode(dataText ?? '') : bytesOf(dataBase64)), [dataText, dataBase64])
  const text = useMemo(() => dataText ?? textOf(bytes), [dataText, bytes])

  if (event.payloadHidden === true) {
    return <NoPermission why="Its type says that the payload is for keys alone that see payloads, and yours is none." />
  }
  if (bytes.length === 0) {
    return (
      <Empty title="No payload.">
        <p>The event tells by its type and its headers alone.</p>
      </Empty>
    )
  }
  const forms = [...(dataText === undefined ? [] : ['json']), ...(decoded === undefined ? [] : ['decoded']), ...(text === undefined ? [] : ['text']), 'hex']
  const form = forms.find((one) => one === as) ?? forms[0] ?? 'hex'
  return (
    <div className="stack">
      <div className="row">
        <div role="group" aria-label="Form of the payload" className="events-forms">
          {forms.map((one) => (
            <button
              key={one}
              type="button"
              className="events-form"
              aria-pressed={one === form}
              onClick={() => void navigate({ search: (search) => ({ ...search, as: one }), replace: true })}
            >
              {names[one]}
            </button>
          ))}
        </div>
        <span className="muted">
          {size(bytes.length)}
          {payload ? '' : ' · masked as its type says; a key that sees payloads shows it whole'}
        </span>
        {form === 'text' && text !== undefined && <CopyButton text={text} />}
      </div>
      {form === 'json' && <JsonView text={dataText ?? ''} />}
      {form === 'decoded' && (
        <>
          <p className="muted">What its type’s Protobuf descriptor makes of the bytes.</p>
          <JsonView text={JSON.stringify(decoded)} />
        </>
      )}
      {form === 'text' && <Raw>{text}</Raw>}
      {form === 'hex' && (
        <>
          <Raw>{hexLines(bytes, mostHex)}</Raw>
          {bytes.length > mostHex && <p className="muted">The first {count(mostHex)} of {count(bytes.length)} bytes.</p>}
        </>
      )}
    </div>
  )
}

function Raw({ children }: { children: string | undefined }) {
  return (
    // Long lines and many of them are scrolled to by the keys too.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre className="events-raw" tabIndex={0} role="region" aria-label="Payload">
      {children}
    </pre>
  )
}
