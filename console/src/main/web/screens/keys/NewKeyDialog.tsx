import { useState } from 'react'
import { useKeyChanges, type CreatedKey } from '~/api/keys'
import { Problem } from '~/api/problem'
import { useMe, type Role } from '~/api/session'
import { Button } from '~/components/Button'
import { Dialog } from '~/components/Dialog'
import { Field } from '~/components/Field'
import { ProblemNote } from '~/components/states'
import { nameFault, newKeyOf, type Draft } from './newKey'

const roles: readonly [Role, string][] = [
  ['viewer', 'looks at everything, and changes nothing'],
  ['operator', 'also replays, pauses, tests, and decides about dead letters'],
  ['admin', 'also changes subscriptions, guards and keys'],
  ['publisher', 'records events, and sees nothing'],
]

export function NewKeyDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (key: CreatedKey) => void }) {
  const me = useMe()
  const { create } = useKeyChanges()
  // On a hub without keys the first one must be an admin's.
  const [draft, setDraft] = useState<Draft>({ name: '', role: me.keys ? 'viewer' : 'admin', payload: false, sources: '', types: '' })
  const [tried, setTried] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const change = (part: Partial<Draft>) => {
    setDraft({ ...draft, ...part })
    setError(undefined)
  }
  const rule = (field: string) => (error instanceof Problem ? error.violations.find((one) => one.field === field || one.field?.startsWith(`${field}[`))?.rule : undefined)
  const fault = nameFault(draft.name)

  const submit = async () => {
    setTried(true)
    if (fault !== undefined || busy) {
      return
    }
    setBusy(true)
    setError(undefined)
    try {
      onCreated(await create(newKeyOf(draft), !me.keys))
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title="New key"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" why={busy ? 'It is being made.' : undefined} onClick={() => void submit()}>
            Create key
          </Button>
        </>
      }
    >
      {!me.keys && (
        <p>
          <strong>This is the hub’s first key.</strong> From then on every call needs one, this page’s too: keep it, you sign in with it.
        </p>
      )}
      <Field label="Name" required hint="Who or what it is for. The audit names it." fault={tried || draft.name !== '' ? (fault ?? rule('name')) : undefined}>
        {(ties) => (
          <input
            {...ties}
            value={draft.name}
            maxLength={100}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => {
              change({ name: event.target.value })
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter') {
                void submit()
              }
            }}
          />
        )}
      </Field>
      <Field label="Role" required hint={roles.find(([role]) => role === draft.role)?.[1]} fault={rule('role')}>
        {(ties) => (
          <select
            {...ties}
            value={draft.role}
            onChange={(event) => {
              change({ role: event.target.value as Role })
            }}
          >
            {roles.map(([role]) => (
              <option key={role} value={role}>
                {role}
              </option>
            ))}
          </select>
        )}
      </Field>
      {(draft.role === 'viewer' || draft.role === 'operator') && (
        <div className="field">
          <label className="row">
            <input
              type="checkbox"
              checked={draft.payload}
              onChange={(event) => {
                change({ payload: event.target.checked })
              }}
            />
            Sees payloads unmasked
          </label>
          <p className="field-hint">Without it, what is confidential in events is masked.</p>
          <p className="field-fault">{rule('payload')}</p>
        </div>
      )}
      {draft.role === 'publisher' && (
        <>
          <Field label="Types" hint="Patterns of what it may publish, one on each line; any if left out. * stands for any characters." fault={rule('types')}>
            {(ties) => (
              <textarea
                {...ties}
                className="input mono"
                rows={2}
                spellCheck={false}
                value={draft.types}
                onChange={(event) => {
                  change({ types: event.target.value })
                }}
              />
            )}
          </Field>
          <Field label="Sources" hint="The same." fault={rule('sources')}>
            {(ties) => (
              <textarea
                {...ties}
                className="input mono"
                rows={2}
                spellCheck={false}
                value={draft.sources}
                onChange={(event) => {
                  change({ sources: event.target.value })
                }}
              />
            )}
          </Field>
        </>
      )}
      {error !== undefined && <ProblemNote error={error} />}
    </Dialog>
  )
}
