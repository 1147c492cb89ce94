import { useMemo, useState } from 'react'
import { useCheck } from '~/api/subscriptions'
import { Button } from '~/components/Button'
import { Field } from '~/components/Field'
import { Section } from '~/components/Page'
import { ProblemNote } from '~/components/states'
import { Tabs } from '~/components/Tabs'
import { CheckPanel } from './CheckPanel'
import { FilterFields, DeliveryFields, LimitFields, StartFields } from './DocumentFields'
import { faultAt, readDocument, valueAt, withValue, type Doc } from './document'
import { FormContext, TextField } from './form'
import { MatchPreview } from './MatchPreview'
import { SinkFields } from './SinkFields'
import { useSettled } from './settled'

interface SubscriptionFormProps {
  /** Undefined: it is a new one, and its name is asked for. */
  name: string | undefined
  initial: Doc
  asJson: boolean
  onAsJson: (json: boolean) => void
  save: (name: string, doc: Doc) => Promise<void>
  onCancel: () => void
}

const nameRule = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

/** Writes a subscription by a form or as JSON: both are views of one document, which the hub checks as one types. */
export function SubscriptionForm({ name: fixed, initial, asJson, onAsJson, save, onCancel }: SubscriptionFormProps) {
  const [name, setName] = useState(fixed ?? '')
  const [doc, setDoc] = useState(initial)
  const [text, setText] = useState<string>()
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [tried, setTried] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()

  const read = text === undefined ? undefined : readDocument(text)
  const unreadable = read !== undefined && 'fault' in read ? read.fault : undefined
  const nameFault = nameRule.test(name) ? undefined : 'Letters, digits, dots, dashes and underscores, a letter or digit first, at most 100.'
  const asked = useSettled(JSON.stringify({ ...doc, name }), 400)
  const check = useCheck(asked, nameFault === undefined && unreadable === undefined)
  const taken = fixed === undefined && check.data?.exists === true && nameFault === undefined
  const violations = useMemo(() => check.data?.violations ?? [], [check.data])

  const form = useMemo(
    () => ({
      doc,
      set: (path: string, value: unknown) => {
        setDoc((before) => withValue(before, path, value))
        setError(undefined)
      },
      fault: (path: string) => (tried || touched.has(path) || valueAt(doc, path) !== undefined ? faultAt(violations, path) : undefined),
      touch: (path: string) => {
        setTouched((before) => (before.has(path) ? before : new Set([...before, path])))
      },
    }),
    [doc, touched, tried, violations],
  )

  const same = fixed !== undefined && JSON.stringify(doc) === JSON.stringify(initial)
  const why = busy
    ? 'It is being saved.'
    : unreadable !== undefined
      ? 'The JSON cannot be read.'
      : same
        ? 'Nothing is changed.'
        : undefined

  const submit = async () => {
    setTried(true)
    if (nameFault !== undefined || taken || why !== undefined) {
      return
    }
    setBusy(true)
    setError(undefined)
    try {
      await save(name, doc)
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }

  return (
    <FormContext value={form}>
      <div className="subscriptions-form">
        <form
          className="stack"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            void submit()
          }}
        >
          {fixed === undefined && (
            <Section title="What it is called">
              <Field
                label="Name"
                required
                hint="It cannot be changed later."
                fault={(name !== '' || tried) && nameFault !== undefined ? nameFault : taken ? 'There is a subscription of this name already.' : undefined}
              >
                {(ties) => <input {...ties} value={name} maxLength={100} autoComplete="off" spellCheck={false} onChange={(event) => { setName(event.target.value) }} />}
              </Field>
            </Section>
          )}
          <Tabs
            label="How to write it"
            open={asJson ? 'json' : 'form'}
            onOpen={(id) => {
              setText(undefined)
              onAsJson(id === 'json')
            }}
            tabs={[
              { id: 'form', name: 'Form', content: () => <Fields isNew={fixed === undefined} /> },
              {
                id: 'json',
                name: 'JSON',
                content: () => (
                  <Field label="Document" required hint="The document of PUT /v1/subscriptions/{name}. Secrets shown masked are kept as they are." fault={unreadable}>
                    {(ties) => (
                      <textarea
                        {...ties}
                        className="input mono subscriptions-json"
                        rows={28}
                        spellCheck={false}
                        value={text ?? JSON.stringify(doc, null, 2)}
                        onChange={(event) => {
                          setText(event.target.value)
                          const next = readDocument(event.target.value)
                          if ('doc' in next) {
                            setDoc(next.doc)
                            setError(undefined)
                          }
                        }}
                      />
                    )}
                  </Field>
                ),
              },
            ]}
          />
          {error !== undefined && <ProblemNote error={error} />}
          <div className="row subscriptions-save">
            <Button type="submit" look="primary" why={why}>
              {fixed === undefined ? 'Create subscription' : 'Save'}
            </Button>
            <Button onClick={onCancel}>Cancel</Button>
          </div>
        </form>
        <aside className="stack" aria-label="What the hub says">
          <CheckPanel
            check={check}
            settled={asked === JSON.stringify({ ...doc, name })}
            waitsFor={unreadable !== undefined ? 'JSON that can be read' : nameFault !== undefined ? 'a name' : undefined}
            isNew={fixed === undefined}
          />
          <MatchPreview filter={valueAt(doc, 'filter')} />
        </aside>
      </div>
    </FormContext>
  )
}

function Fields({ isNew }: { isNew: boolean }) {
  return (
    <div className="stack">
      <Section title="Where to">
        <SinkFields />
      </Section>
      <Section title="Which events">
        <FilterFields />
      </Section>
      <Section title="Delivery">
        <DeliveryFields />
      </Section>
      <Section title="Where it begins">
        <StartFields isNew={isNew} />
      </Section>
      <Section title="Further">
        <div className="stack">
          <TextField path="description" label="Description" lines={2} hint="for people, up to 1,000 characters" />
          <LimitFields />
        </div>
      </Section>
    </div>
  )
}
