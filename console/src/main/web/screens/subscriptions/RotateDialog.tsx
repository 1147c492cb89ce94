import { useState } from 'react'
import { Problem } from '~/api/problem'
import { useSubscriptionChanges, type RotatedSecret } from '~/api/subscriptionChanges'
import { Button } from '~/components/Button'
import { CopyButton } from '~/components/CopyButton'
import { Dialog } from '~/components/Dialog'
import { Field } from '~/components/Field'
import { ProblemNote } from '~/components/states'
import { Time } from '~/components/Time'
import { durationMillis } from '~/lib/format'

/** Makes a new signing secret, and shows it this once. */
export function RotateDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const [grace, setGrace] = useState('24h')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [made, setMade] = useState<RotatedSecret>()
  const { rotate } = useSubscriptionChanges(name)
  const millis = durationMillis(grace.trim())
  const fault = millis === undefined ? 'Write it like 30m, 24h or 7d; 0s for none.' : error instanceof Problem ? error.rule('grace') : undefined

  const go = async () => {
    setBusy(true)
    setError(undefined)
    try {
      setMade(await rotate(grace.trim()))
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }

  if (made !== undefined) {
    return (
      // Closed by its button alone: the secret is not to be had again.
      <Dialog open onClose={() => undefined} title={`The new signing secret of ${name}`} actions={<Button look="primary" onClick={onClose}>I have kept it</Button>}>
        <p>This is shown this once. Give it to the receiver{made.formerSecretUntil === undefined ? ' now: the former one signs no more.' : ' within the grace.'}</p>
        <div className="row">
          {/* It can be reached and marked by keyboard where the browser gives pages no clipboard. */}
          <input className="input mono subscriptions-secret" readOnly aria-label="The new secret" value={made.secret ?? ''} onFocus={(event) => { event.target.select() }} />
          <CopyButton text={made.secret ?? ''} />
        </div>
        {made.formerSecretUntil !== undefined && (
          <p>
            Both sign until <Time at={made.formerSecretUntil} show="both" />.
          </p>
        )}
      </Dialog>
    )
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Rotate the signing secret of ${name}?`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look={millis === 0 ? 'danger' : 'primary'} why={busy ? 'It is being done.' : millis === undefined ? 'The grace is no duration.' : undefined} onClick={() => void go()}>
            Make a new secret
          </Button>
        </>
      }
    >
      <p>Requests are signed by both until the grace has passed; then the hub drops the former one by itself.</p>
      <Field label="Grace" required hint={millis === 0 ? 'None: the new one signs alone at once, and a receiver that does not know it refuses everything.' : '0s to 30d'} fault={fault}>
        {(ties) => <input {...ties} value={grace} onChange={(event) => { setGrace(event.target.value) }} />}
      </Field>
      {error !== undefined && <ProblemNote error={error} />}
    </Dialog>
  )
}
