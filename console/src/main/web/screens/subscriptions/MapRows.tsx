import { useId } from 'react'
import { Button } from '~/components/Button'

export interface Row {
  name: string
  value: string
}

interface MapRowsProps {
  label: string
  nameLabel: string
  rows: Row[]
  onChange: (rows: Row[]) => void
  hint?: string
  fault?: string | undefined
}

/** Names with values, a line each. A value may have several lines: certificates do. */
export function MapRows({ label, nameLabel, rows, onChange, hint, fault }: MapRowsProps) {
  const id = useId()
  const change = (at: number, part: Partial<Row>) => {
    onChange(rows.map((row, index) => (index === at ? { ...row, ...part } : row)))
  }
  return (
    <div className="field" role="group" aria-labelledby={`${id}-label`} aria-describedby={`${id}-hint ${id}-fault`}>
      <span id={`${id}-label`} className="field-label">
        {label}
        <span className="muted"> (optional)</span>
      </span>
      {rows.map((row, index) => (
        <div key={index} className="subscriptions-pair">
          <input
            className="input mono"
            aria-label={`${nameLabel} ${index + 1}`}
            placeholder={nameLabel}
            value={row.name}
            onChange={(event) => {
              change(index, { name: event.target.value })
            }}
          />
          <textarea
            className="input mono"
            aria-label={`Value of ${row.name === '' ? `${nameLabel} ${index + 1}` : row.name}`}
            rows={row.value.includes('\n') ? 4 : 1}
            spellCheck={false}
            value={row.value}
            onChange={(event) => {
              change(index, { value: event.target.value })
            }}
          />
          <Button
            look="quiet"
            aria-label={`Take out ${row.name === '' ? `${nameLabel} ${index + 1}` : row.name}`}
            onClick={() => {
              onChange(rows.filter((_, other) => other !== index))
            }}
          >
            ×
          </Button>
        </div>
      ))}
      <div>
        <Button
          look="quiet"
          onClick={() => {
            onChange([...rows, { name: '', value: '' }])
          }}
        >
          + Add
        </Button>
      </div>
      <p id={`${id}-hint`} className="field-hint">
        {hint}
      </p>
      <p id={`${id}-fault`} className="field-fault" aria-live="polite">
        {fault}
      </p>
    </div>
  )
}
