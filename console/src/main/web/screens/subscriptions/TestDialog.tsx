import { useState } from 'react'
import type { Subscription } from '~/api/subscriptions'
import { useSubscriptionChanges, type Trial } from '~/api/subscriptionChanges'
import { Button } from '~/components/Button'
import { Dialog } from '~/components/Dialog'
import { Field } from '~/components/Field'
import { JsonView } from '~/components/JsonView'
import { Fact, Facts } from '~/components/Page'
import { Loading, ProblemNote } from '~/components/states'
import { Badge, type Tone } from '~/components/Status'
import { duration } from '~/lib/format'
import { readJson } from '~/lib/exactJson'
import { MapRows, type Row } from './MapRows'

const meanings: Record<string, { tone: Tone; about: string }> = {
  delivered: { tone: 'ok', about: 'An event would be delivered.' },
  retry: { tone: 'warn', about: 'An event would be tried again.' },
  reject: { tone: 'bad', about: 'An event would be a dead letter at once.' },
  unavailable: { tone: 'bad', about: 'The receiver was not reached.' },
  gone: { tone: 'bad', about: 'The receiver wants no more events: the subscription would be paused.' },
}

/** Sends a sample by the stored settings, and shows the reply. */
export function TestDialog({ subscription, onClose }: { subscription: Subscription; onClose: () => void }) {
  const [type, setType] = useState('')
  const [data, setData] = useState('')
  const [headers, setHeaders] = useState<Row[]>([])
  const [busy, setBusy] = useState(false)
  const [trial, setTrial] = useState<Trial>()
  const [error, setError] = useState<unknown>()
  const { test } = useSubscriptionChanges(subscription.name ?? '')

  const fault = jsonFault(data)
  const send = async () => {
    setBusy(true)
    setError(undefined)
    setTrial(undefined)
    const named = headers.filter((row) => row.name !== '')
    try {
      setTrial(
        await test({
          ...(type.trim() === '' ? {} : { type: type.trim() }),
          ...(data.trim() === '' ? {} : { data }),
          ...(named.length === 0 ? {} : { headers: Object.fromEntries(named.map((row) => [row.name, row.value])) }),
        }),
      )
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={`Test ${subscription.name ?? ''}`}
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button look="primary" why={busy ? 'It is on its way.' : fault === undefined ? undefined : 'The data are not JSON.'} onClick={() => void send()}>
            Send a sample
          </Button>
        </>
      }
    >
      <p className="muted">
        A sample goes straight to the receiver, by the stored settings. It is marked by the header <code>posthorn-test: true</code>, counts nowhere and pauses nothing.
      </p>
      <div className="subscriptions-columns">
        <Field label="Type" hint="posthorn.test if left out">
          {(ties) => <input {...ties} value={type} onChange={(event) => { setType(event.target.value) }} />}
        </Field>
        <MapRows label="Headers" nameLabel="Header" rows={headers} onChange={setHeaders} hint="Not such that begin with posthorn-." />
      </div>
      <Field label="Data" hint="JSON, sent digit by digit as it stands here" fault={fault}>
        {(ties) => <textarea {...ties} className="input mono" rows={5} spellCheck={false} value={data} onChange={(event) => { setData(event.target.value) }} />}
      </Field>
      <div aria-live="polite" className="stack">
        {busy && <Loading what={`Waiting for the reply, ${subscription.timeout ?? 'the timeout'} and a second at most`} />}
        {trial !== undefined && <Reply trial={trial} />}
      </div>
      {error !== undefined && <ProblemNote error={error} />}
    </Dialog>
  )
}

function jsonFault(text: string): string | undefined {
  if (text.trim() === '') {
    return undefined
  }
  try {
    readJson(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function Reply({ trial }: { trial: Trial }) {
  const meaning = meanings[trial.outcome ?? ''] ?? { tone: 'idle' as const, about: '' }
  const reply = trial.reply ?? ''
  return (
    <div className="stack subscriptions-reply">
      <Facts>
        <Fact name="Outcome">
          <Badge tone={meaning.tone}>{trial.outcome}</Badge> {meaning.about}
        </Fact>
        <Fact name="Status">{trial.status ?? '–'}</Fact>
        <Fact name="Took">{duration(trial.tookMillis ?? 0)}</Fact>
      </Facts>
      {trial.reason !== undefined && (
        <div>
          <h3>Why</h3>
          <p className="wrap">{trial.reason}</p>
        </div>
      )}
      <div>
        <h3>Its reply</h3>
        {reply === '' ? <p className="muted">It had no body.</p> : /^\s*[{[]/.test(reply) ? <JsonView text={reply} /> : <pre className="json json-text">{reply}</pre>}
      </div>
    </div>
  )
}
