import { useState, type ReactNode } from 'react'
import { Button } from './Button'
import { Dialog } from './Dialog'
import { Field } from './Field'
import { ProblemNote } from './states'

interface ConfirmDialogProps {
  open: boolean
  onClose: () => void
  title: string
  /** What will happen, to how many, and whether it can be taken back. */
  children: ReactNode
  /** The verb on the button: "Discard 12 dead letters". */
  verb: string
  danger?: boolean
  /** Why it cannot be done yet, or at all. */
  why?: string | undefined
  reason: 'required' | 'optional' | 'none'
  /** Does it; the dialog closes when it is done, and shows the problem if it fails. */
  onConfirm: (reason: string) => Promise<unknown>
}

/** Asks before what cannot be taken back, and for the reason that the audit keeps. */
export function ConfirmDialog({ open, onClose, title, children, verb, danger = false, why, reason: asks, onConfirm }: ConfirmDialogProps) {
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const [tried, setTried] = useState(false)
  const [error, setError] = useState<unknown>()

  const close = () => {
    setReason('')
    setTried(false)
    setError(undefined)
    onClose()
  }
  const missing = asks === 'required' && reason.trim() === ''
  const confirm = async () => {
    setTried(true)
    if (missing || busy || why !== undefined) {
      return
    }
    setBusy(true)
    setError(undefined)
    try {
      await onConfirm(reason.trim())
      close()
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog
      open={open}
      onClose={busy ? () => undefined : close}
      title={title}
      actions={
        <>
          <Button onClick={close} why={busy ? 'It is being done.' : undefined}>
            Cancel
          </Button>
          <Button look={danger ? 'danger' : 'primary'} why={busy ? 'It is being done.' : why} onClick={() => void confirm()}>
            {verb}
          </Button>
        </>
      }
    >
      {children}
      {asks !== 'none' && (
        <Field label="Reason" required={asks === 'required'} hint="Kept in the audit, beside your key’s name." fault={tried && missing ? 'Say why.' : undefined}>
          {(ties) => (
            <input
              {...ties}
              value={reason}
              maxLength={500}
              onChange={(event) => {
                setReason(event.target.value)
              }}
              onKeyDown={(event) => {
                if (event.key === 'Enter') {
                  void confirm()
                }
              }}
            />
          )}
        </Field>
      )}
      {error !== undefined && <ProblemNote error={error} />}
    </Dialog>
  )
}
