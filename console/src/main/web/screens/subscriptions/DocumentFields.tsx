import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Field } from '~/components/Field'
import { Time } from '~/components/Time'
import { numberOf, textAt } from './document'
import { ListField, MapField, SelectField, TextField, useForm } from './form'

export function FilterFields() {
  return (
    <div className="stack">
      <p className="muted">An event has to match one pattern of each; what is left empty is matched by all. * stands for any characters.</p>
      <div className="subscriptions-columns subscriptions-three">
        <ListField path="filter.types" label="Types" hint="order.*, one on each line" />
        <ListField path="filter.sources" label="Sources" hint="one on each line" />
        <ListField path="filter.aggregateTypes" label="Aggregate types" hint="one on each line" />
      </div>
      <MapField path="filter.headers" label="Headers that it must have" nameLabel="Header" hint="With exactly these values." />
    </div>
  )
}

export function DeliveryFields() {
  return (
    <div className="stack">
      <div className="subscriptions-columns">
        <Attempts />
        <TextField path="timeout" label="Timeout" hint="how long the receiver may take; 10s if left out" />
      </div>
      <ListField path="retry.delays" label="Waits between attempts" hint="30s, 5m, 2h …, one on each line; the last repeats. 30s, 1m, 2m, 5m if left out" rows={4} />
      <div className="subscriptions-columns">
        <SelectField
          path="whenUnavailable"
          label="A receiver that cannot be reached"
          byDefault="as its kind has it: http and guard count, kafka wait"
          options={[
            ['count', 'count: uses up attempts'],
            ['wait', 'wait: uses up none'],
          ]}
        />
        <SelectField
          path="afterDeadLetter"
          label="Later events of a dead letter’s key"
          byDefault="continue: are delivered (if left out)"
          options={[
            ['continue', 'continue: are delivered'],
            ['hold', 'hold: wait until somebody has decided'],
          ]}
        />
        <SelectField
          path="ordering"
          label="Order"
          byDefault="key: events of a key in order (if left out)"
          options={[
            ['key', 'key: events of a key in order'],
            ['none', 'none'],
          ]}
        />
        <TextField path="lanes" label="Lanes" number hint="the most instances that can work for it at once, 1 to 256; 4 if left out" />
      </div>
    </div>
  )
}

function Attempts() {
  const { doc, set, fault, touch } = useForm()
  return (
    <Field label="Attempts" hint="after so many an event is a dead letter, or unlimited; 5 if left out" fault={fault('retry.maxAttempts')}>
      {(ties) => (
        <input
          {...ties}
          autoComplete="off"
          value={textAt(doc, 'retry.maxAttempts')}
          onChange={(event) => {
            set('retry.maxAttempts', numberOf(event.target.value))
          }}
          onBlur={() => {
            touch('retry.maxAttempts')
          }}
        />
      )}
    </Field>
  )
}

export function LimitFields() {
  return (
    <details>
      <summary>Limits and tuning</summary>
      <div className="subscriptions-columns subscriptions-more">
        <TextField path="ratePerSecond" label="Events a second at most" number hint="by all instances together; any number if left out" />
        <TextField path="inFlightLimit" label="Events under way at most" number hint="of an instance; 10,000 if left out" />
        <TextField path="inFlightBytes" label="Bytes under way at most" number hint="of their payloads; 67,108,864 if left out" />
        <TextField path="breakerAfter" label="Refused keys in a row" number hint="after which the receiver is taken to refuse everything; 10 if left out" />
        <TextField path="blockedKeysLimit" label="Blocked keys in memory" number hint="of a lane; 10,000 if left out" />
        <TextField path="batchSize" label="Events that one read takes" number hint="1,000 if left out" />
        <TextField path="pollInterval.least" label="Looks for events after" hint="1ms if left out" />
        <TextField path="pollInterval.most" label="… and when nothing comes" hint="50ms if left out, up to 1m" />
        <SelectField
          path="keepAttempts"
          label="Keep a record of"
          byDefault="failed attempts (if left out)"
          options={[
            ['failed', 'failed attempts'],
            ['all', 'all: a row for each delivery too'],
          ]}
        />
      </div>
    </details>
  )
}

/** The browser's local time for an input, to the minute. */
function inputTime(iso: string): string {
  const at = new Date(iso)
  return Number.isNaN(at.getTime()) ? '' : new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

export function StartFields({ isNew }: { isNew: boolean }) {
  const { doc, set, fault } = useForm()
  const start = textAt(doc, 'start') || 'now'
  const at = start === 'now' || start === 'beginning' ? undefined : start
  const [local, setLocal] = useState(() => inputTime(at ?? new Date().toISOString()))
  if (!isNew) {
    return (
      <p>
        It began at <strong>{at === undefined ? start : <Time at={at} />}</strong>, which counts at creation alone. Older events are sent to it by a <Link to="/replay">replay</Link>.
      </p>
    )
  }
  const choose = (kind: string) => {
    set('start', kind === 'now' ? undefined : kind === 'beginning' ? 'beginning' : new Date(local).toISOString())
  }
  const kinds = [
    ['now', 'Now', 'what is recorded after it is created'],
    ['beginning', 'The beginning', 'everything that the log keeps'],
    ['time', 'A time', 'what was recorded since'],
  ] as const
  const chosen = at !== undefined ? 'time' : start
  return (
    <div className="stack">
      <fieldset className="subscriptions-kinds">
        <legend className="visually-hidden">Where it begins</legend>
        {kinds.map(([one, title, about]) => (
          <label key={one} className="subscriptions-kind">
            <input type="radio" name="start" value={one} checked={chosen === one} onChange={() => { choose(one) }} />
            <strong>{title}</strong>
            <span className="muted">{about}</span>
          </label>
        ))}
      </fieldset>
      {at !== undefined && (
        <Field label="Since" required hint={<>In your zone. For the hub: <code>{at}</code></>} fault={fault('start')}>
          {(ties) => (
            <input
              {...ties}
              type="datetime-local"
              value={local}
              onChange={(event) => {
                const instant = new Date(event.target.value)
                if (!Number.isNaN(instant.getTime())) {
                  setLocal(event.target.value)
                  set('start', instant.toISOString())
                }
              }}
            />
          )}
        </Field>
      )}
      <p className="muted">It counts now alone: later the start cannot be changed, but older events can be sent by a replay.</p>
    </div>
  )
}
