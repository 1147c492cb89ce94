import { useMemo, useState, type ReactNode } from 'react'
import { count } from '~/lib/format'
import { readJson, writeJson, type Json } from '~/lib/exactJson'
import { CopyButton } from './CopyButton'
import './json-view.css'

/** Members or items shown before one asks for the rest. */
const atOnce = 200

/** JSON as it was written: every digit of a number, members in their order. Give it the text, never what JSON.parse made of it. */
export function JsonView({ text }: { text: string }) {
  const read = useMemo(() => {
    try {
      return { value: readJson(text) }
    } catch (error) {
      return { fault: error instanceof Error ? error.message : String(error) }
    }
  }, [text])

  if (read.value === undefined) {
    return (
      <div className="json">
        <p className="muted">This is not JSON ({read.fault}), so it is shown as text.</p>
        <pre className="json-text">{text}</pre>
      </div>
    )
  }
  const { value } = read
  return (
    <div className="json">
      <div className="json-copy">
        <CopyButton text={() => writeJson(value)} />
      </div>
      <Node value={value} depth={0} />
    </div>
  )
}

function Node({ value, depth, name }: { value: Json; depth: number; name?: string }) {
  const label = name === undefined ? null : <span className="json-name">{JSON.stringify(name)}: </span>
  switch (value.kind) {
    case 'object':
      return <Branch label={label} open="{" close="}" depth={depth} entries={value.members.map((member) => ({ name: member.name, value: member.value }))} />
    case 'array':
      return <Branch label={label} open="[" close="]" depth={depth} entries={value.items.map((item) => ({ value: item }))} />
    case 'string':
      return (
        <div className="json-leaf">
          {label}
          <span className="json-string">{JSON.stringify(value.value)}</span>
        </div>
      )
    default:
      return (
        <div className="json-leaf">
          {label}
          <span className={`json-${value.kind}`}>{value.text}</span>
        </div>
      )
  }
}

interface BranchProps {
  label: ReactNode
  open: string
  close: string
  depth: number
  entries: { name?: string; value: Json }[]
}

function Branch({ label, open, close, depth, entries }: BranchProps) {
  const [expanded, setExpanded] = useState(depth < 3)
  const [limit, setLimit] = useState(atOnce)
  if (entries.length === 0) {
    return (
      <div className="json-leaf">
        {label}
        {open}
        {close}
      </div>
    )
  }
  return (
    <details
      className="json-branch"
      open={expanded}
      onToggle={(event) => {
        setExpanded(event.currentTarget.open)
      }}
    >
      <summary>
        {label}
        {open}
        {!expanded && <span className="muted"> {count(entries.length)} … </span>}
        {!expanded && close}
      </summary>
      {expanded && (
        <>
          <div className="json-inner">
            {entries.slice(0, limit).map((entry, index) => (
              <Node key={index} value={entry.value} depth={depth + 1} {...(entry.name === undefined ? {} : { name: entry.name })} />
            ))}
            {entries.length > limit && (
              <button type="button" className="json-more" onClick={() => { setLimit(limit * 5) }}>
                {count(entries.length - limit)} more
              </button>
            )}
          </div>
          <div className="json-close">{close}</div>
        </>
      )}
    </details>
  )
}
