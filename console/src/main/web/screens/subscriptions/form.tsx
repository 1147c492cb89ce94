import { createContext, useContext, useState, type ReactNode } from 'react'
import { Field } from '~/components/Field'
import { linesOf, numberOf, plain, textAt, valueAt, type Doc } from './document'
import { MapRows, type Row } from './MapRows'

/** What the fields of the form share: the document, and what the hub says about it. */
interface Form {
  doc: Doc
  set: (path: string, value: unknown) => void
  /** The rule that a field breaks, once somebody has been there. */
  fault: (path: string) => string | undefined
  /** Somebody has been there. */
  touch: (path: string) => void
}

export const FormContext = createContext<Form | undefined>(undefined)

export function useForm(): Form {
  const form = useContext(FormContext)
  if (form === undefined) {
    throw new Error('This field is in no form.')
  }
  return form
}

export interface FieldProps {
  path: string
  label: string
  hint?: ReactNode
  required?: boolean
}

interface TextProps extends FieldProps {
  number?: boolean
  mono?: boolean
  lines?: number
  list?: readonly string[] | undefined
}

export function TextField({ path, label, hint, required = false, number = false, mono = false, lines = 1, list }: TextProps) {
  const { doc, set, fault, touch } = useForm()
  const value = textAt(doc, path)
  return (
    <Field label={label} hint={hint} required={required} fault={fault(path)}>
      {(ties) => {
        const common = {
          ...ties,
          className: `input${mono ? ' mono' : ''}`,
          value,
          spellCheck: false,
          autoComplete: 'off',
          onChange: (event: { target: { value: string } }) => {
            const text = event.target.value
            set(path, number ? numberOf(text) : text === '' ? undefined : text)
          },
          onBlur: () => {
            touch(path)
          },
        }
        return lines > 1 ? (
          <textarea {...common} rows={lines} />
        ) : (
          <>
            <input {...common} inputMode={number ? 'decimal' : undefined} list={list === undefined ? undefined : `${ties.id}-list`} />
            {list !== undefined && (
              <datalist id={`${ties.id}-list`}>
                {list.map((one) => (
                  <option key={one} value={one} />
                ))}
              </datalist>
            )}
          </>
        )
      }}
    </Field>
  )
}

/** The first option is what stands there if nothing is given. */
export function SelectField({ path, label, hint, options, byDefault }: FieldProps & { options: readonly [string, string][]; byDefault: string }) {
  const { doc, set, fault, touch } = useForm()
  const value = textAt(doc, path)
  const known = value === '' || options.some(([one]) => one === value)
  return (
    <Field label={label} hint={hint} fault={fault(path)}>
      {(ties) => (
        <select
          {...ties}
          value={value}
          onChange={(event) => {
            set(path, event.target.value === '' ? undefined : event.target.value)
            touch(path)
          }}
        >
          <option value="">{byDefault}</option>
          {options.map(([one, words]) => (
            <option key={one} value={one}>
              {words}
            </option>
          ))}
          {!known && <option value={value}>{value}</option>}
        </select>
      )}
    </Field>
  )
}

/** Several values, one on each line. */
export function ListField({ path, label, hint, number = false, rows = 3 }: FieldProps & { number?: boolean; rows?: number }) {
  const { doc, set, fault, touch } = useForm()
  // Empty lines are part of what is being typed, and not of the document.
  const [text, setText] = useState(() => {
    const value = valueAt(doc, path)
    return Array.isArray(value) ? value.map(plain).join('\n') : textAt(doc, path)
  })
  return (
    <Field label={label} hint={hint} fault={fault(path)}>
      {(ties) => (
        <textarea
          {...ties}
          className="input mono"
          rows={rows}
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            const lines = linesOf(event.target.value)
            set(path, number ? lines?.map(numberOf) : lines)
          }}
          onBlur={() => {
            touch(path)
          }}
        />
      )}
    </Field>
  )
}

export function MapField({ path, label, hint, nameLabel }: FieldProps & { nameLabel: string }) {
  const { doc, set, fault, touch } = useForm()
  const [rows, setRows] = useState<Row[]>(() => {
    const value = valueAt(doc, path)
    return typeof value === 'object' && value !== null ? Object.entries(value).map(([name, inner]) => ({ name, value: plain(inner) })) : []
  })
  const names = rows.map((row) => row.name).filter((name) => name !== '')
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return (
    <MapRows
      label={label}
      nameLabel={nameLabel}
      rows={rows}
      {...(typeof hint === 'string' ? { hint } : {})}
      fault={twice === undefined ? fault(path) : `${twice} is there twice; the last one counts`}
      onChange={(next) => {
        setRows(next)
        touch(path)
        const named = next.filter((row) => row.name !== '')
        set(path, named.length === 0 ? undefined : Object.fromEntries(named.map((row) => [row.name, row.value])))
      }}
    />
  )
}

export function CheckField({ path, label, hint }: FieldProps) {
  const { doc, set, fault } = useForm()
  return (
    <div className="field">
      <label className="row">
        <input
          type="checkbox"
          checked={valueAt(doc, path) === true}
          onChange={(event) => {
            set(path, event.target.checked ? true : undefined)
          }}
        />
        {label}
      </label>
      <p className="field-hint">{hint}</p>
      <p className="field-fault">{fault(path)}</p>
    </div>
  )
}

/** A value of any shape, as JSON. Until it can be read the document has the text, which the hub refuses. */
export function JsonField({ path, label, hint }: FieldProps) {
  const { doc, set, fault, touch } = useForm()
  const [text, setText] = useState(() => {
    const value = valueAt(doc, path)
    return value === undefined ? '' : JSON.stringify(value, null, 2)
  })
  return (
    <Field label={label} hint={hint} fault={fault(path)}>
      {(ties) => (
        <textarea
          {...ties}
          className="input mono"
          rows={3}
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            touch(path)
            set(path, event.target.value.trim() === '' ? undefined : parsed(event.target.value))
          }}
        />
      )}
    </Field>
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
