import { useState } from 'react'
import type { CreatedKey } from '~/api/keys'
import { askWhoIAm } from '~/api/me'
import { useMe } from '~/api/session'
import { Button } from '~/components/Button'
import { CopyButton } from '~/components/CopyButton'
import { Dialog } from '~/components/Dialog'
import { ProblemNote } from '~/components/states'
import './keys.css'

/** The key itself, this once. Closed by its button alone, since nobody can show it again. */
export function CreatedDialog({ created, onClose }: { created: CreatedKey; onClose: () => void }) {
  // Who we were as it was made: the hub's first key changes that.
  const [first] = useState(!useMe().keys)
  const [error, setError] = useState<unknown>()
  const done = async () => {
    if (first) {
      try {
        await askWhoIAm()
      } catch (failure) {
        setError(failure)
        return
      }
    }
    onClose()
  }
  return (
    <Dialog
      open
      onClose={() => undefined}
      title={`The key ${created.name ?? ''}`}
      actions={
        <Button look="primary" onClick={() => void done()}>
          I have kept it
        </Button>
      }
    >
      <p>This is shown this once: the hub keeps only its hash. It goes into the header Authorization, after the word Bearer.</p>
      <div className="row">
        {/* It can be reached and marked by keyboard where the browser gives pages no clipboard. */}
        <input className="input mono keys-key" readOnly aria-label="The key" value={created.key ?? ''} onFocus={(event) => { event.target.select() }} />
        <CopyButton text={created.key ?? ''} />
      </div>
      {first && <p>You are signed in with it from now on.</p>}
      <p className="muted">
        Role {created.role}
        {created.role === 'publisher' ? '' : created.payload ? ', sees payloads unmasked' : ', sees payloads masked'}.
      </p>
      {error !== undefined && <ProblemNote error={error} />}
    </Dialog>
  )
}
