import { useId, type ReactNode } from 'react'
import './field.css'

interface FieldProps {
  label: string
  /** What belongs there, and what it is if left out. */
  hint?: ReactNode
  /** The rule that is broken; from the form's own check or from Problem.rule(field). */
  fault?: string | undefined
  required?: boolean
  /** Gets the attributes that tie it to label, hint and fault. */
  children: (ties: { id: string; className: string; 'aria-invalid': boolean; 'aria-describedby': string; 'aria-required': boolean }) => ReactNode
}

/** `<Field label="Name">{(ties) => <input {...ties} … />}</Field>` */
export function Field({ label, hint, fault, required = false, children }: FieldProps) {
  const id = useId()
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
        {!required && <span className="muted"> (optional)</span>}
      </label>
      {children({ id, className: 'input', 'aria-invalid': fault !== undefined, 'aria-describedby': `${id}-hint ${id}-fault`, 'aria-required': required })}
      <p id={`${id}-hint`} className="field-hint">
        {hint}
      </p>
      <p id={`${id}-fault`} className="field-fault" aria-live="polite">
        {fault}
      </p>
    </div>
  )
}
