import { useId } from 'react'
import { Field } from '~/components/Field'
import { planFaults, type PlanSearch } from './plan'

/** A canary, a pace and a brake: none is needed, and the first is wise. */
export function PlanStep({ plan, change }: { plan: PlanSearch; change: (changes: PlanSearch) => void }) {
  const faults = planFaults(plan)
  const name = useId()
  const input = (field: 'canary' | 'rate' | 'inFlight' | 'stop', label: string, hint: string, mode: 'numeric' | 'decimal') => (
    <Field label={label} hint={hint} fault={faults[field]}>
      {(ties) => (
        <input
          {...ties}
          inputMode={mode}
          value={plan[field] ?? ''}
          onChange={(event) => {
            change({ [field]: event.target.value })
          }}
        />
      )}
    </Field>
  )
  return (
    <div className="fields">
      {input('canary', 'Canary: so many go first', 'The others wait until these are done. Left out: all go at once.', 'numeric')}
      <fieldset className="choices" disabled={(plan.canary ?? '') === ''}>
        <legend className="field-label">After the canary</legend>
        <label className="choice">
          <input type="radio" name={name} checked={plan.then !== 'go-on'} onChange={() => { change({ then: undefined }) }} />
          <span>Wait until somebody lets the others go</span>
        </label>
        <label className="choice">
          <input type="radio" name={name} checked={plan.then === 'go-on'} onChange={() => { change({ then: 'go-on' }) }} />
          <span>Go on if all of them were delivered</span>
        </label>
      </fieldset>
      {input('rate', 'At most so many a second', 'Over all instances. Left out: as fast as the subscribers take them.', 'decimal')}
      {input('inFlight', 'At most so many at a time', 'For each subscriber, over all instances. Left out: no limit.', 'numeric')}
      {input('stop', 'Pause if more than so many % fail', 'Counted from ten items on. Left out: it goes on to the end, whatever fails.', 'decimal')}
    </div>
  )
}
