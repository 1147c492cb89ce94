import { useId } from 'react'
import { Button } from '~/components/Button'
import { Field } from '~/components/Field'
import { FilterBar } from '~/components/FilterBar'
import { deadLetterQualifiers } from '~/lib/deadLetterFilter'
import { localInput } from '~/lib/instants'
import { scopeFaults, type PlanSearch } from './plan'

const qualifiers = deadLetterQualifiers.filter((qualifier) => qualifier.name !== 'discarded')

const scopes = [
  { id: 'letters', name: 'Dead letters that a filter finds', about: 'All open ones that match when it starts.' },
  { id: 'ids', name: 'Certain dead letters', about: 'Those that were chosen in the list, by their numbers.' },
  { id: 'history', name: 'A time window of the log', about: 'Events that one subscription has had, or never had: delivered ones too.' },
] as const

const windows = [
  { name: 'the last hour', millis: 3_600_000 },
  { name: 'the last day', millis: 86_400_000 },
  { name: 'the last 7 days', millis: 7 * 86_400_000 },
]

interface StepProps {
  plan: PlanSearch
  change: (changes: PlanSearch) => void
}

export function ScopeStep({ plan, change }: StepProps) {
  const { scope = 'letters' } = plan
  const name = useId()
  return (
    <>
      <fieldset className="choices">
        <legend className="visually-hidden">What is to be sent</legend>
        {scopes.map((one) => (
          <label key={one.id} className="choice" htmlFor={`${name}-${one.id}`}>
            <input
              id={`${name}-${one.id}`}
              type="radio"
              name={name}
              checked={scope === one.id}
              onChange={() => {
                change({ scope: one.id })
              }}
            />
            <strong>{one.name}</strong>
            <span className="muted">{one.about}</span>
          </label>
        ))}
      </fieldset>
      {scope === 'letters' && (
        <div className="field">
          <FilterBar
            label="Which dead letters"
            qualifiers={qualifiers}
            words
            placeholder="All open dead letters. Narrow them, such as by sub: or cause:"
            value={plan.q ?? ''}
            onChange={(q) => {
              change({ q })
            }}
          />
        </div>
      )}
      {scope === 'ids' && <Text field="ids" label="Numbers of dead letters" hint="With commas between them. Those that are none any more are left out." required plan={plan} change={change} />}
      {scope === 'history' && <History plan={plan} change={change} />}
    </>
  )
}

function History({ plan, change }: StepProps) {
  const one = plan.event !== undefined && plan.event !== ''
  return (
    <div className="fields">
      <Text field="sub" label="Subscription" hint="Only what its filter wants now is sent, and only to it." required plan={plan} change={change} />
      <Text field="event" label="One event" hint="A UUID. If it is given, that event alone is sent." plan={plan} change={change} />
      {!one && (
        <>
          <When field="from" label="Recorded from" plan={plan} change={change} />
          <When field="to" label="Recorded before" plan={plan} change={change} />
          <div className="row fields-wide">
            <span className="muted">Or take</span>
            {windows.map((window) => (
              <Button
                key={window.name}
                look="quiet"
                onClick={() => {
                  const now = new Date()
                  change({ from: localInput(new Date(now.getTime() - window.millis)), to: localInput(now) })
                }}
              >
                {window.name}
              </Button>
            ))}
          </div>
          <Text field="types" label="Types" hint="Exact, or patterns with *; with spaces between them." plan={plan} change={change} />
          <Text field="key" label="Key" hint="Exactly this." plan={plan} change={change} />
          <Text field="aggregate" label="Aggregate type" hint="Exactly this." plan={plan} change={change} />
        </>
      )}
    </div>
  )
}

interface InputProps extends StepProps {
  field: 'ids' | 'sub' | 'event' | 'types' | 'key' | 'aggregate'
  label: string
  hint: string
  required?: boolean
}

function Text({ field, label, hint, required = false, plan, change }: InputProps) {
  const value = plan[field] ?? ''
  return (
    <Field label={label} hint={hint} required={required} fault={value === '' ? undefined : scopeFaults(plan)[field]}>
      {(ties) => (
        <input
          {...ties}
          value={value}
          spellCheck={false}
          onChange={(event) => {
            change({ [field]: event.target.value })
          }}
        />
      )}
    </Field>
  )
}

function When({ field, label, plan, change }: StepProps & { field: 'from' | 'to'; label: string }) {
  const value = plan[field] ?? ''
  // An address may name a time with a zone, which this input does not take.
  const shown = /Z$|[+-]\d{2}:\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)) ? localInput(new Date(value)) : value
  return (
    <Field label={label} hint="In your zone." required fault={value === '' ? undefined : scopeFaults(plan)[field]}>
      {(ties) => (
        <input
          {...ties}
          type="datetime-local"
          value={shown}
          onChange={(event) => {
            change({ [field]: event.target.value })
          }}
        />
      )}
    </Field>
  )
}
