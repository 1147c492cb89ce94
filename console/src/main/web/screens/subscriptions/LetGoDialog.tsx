import { useEffect, useState } from 'react'
import { useSubscriptionChanges, type LetGo } from '~/api/subscriptionChanges'
import { Button } from '~/components/Button'
import { ConfirmDialog } from '~/components/ConfirmDialog'
import { Dialog } from '~/components/Dialog'
import { Loading, ProblemNote } from '~/components/states'
import { toast } from '~/components/Toasts'
import { count } from '~/lib/format'

/** Counts first what it would be, by a dry run, and then asks. */
export function LetGoDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const { letGo } = useSubscriptionChanges(name)
  const [counted, setCounted] = useState<LetGo>()
  const [error, setError] = useState<unknown>()

  useEffect(() => {
    let there = true
    letGo('', true).then(
      (answer) => {
        if (there) {
          setCounted(answer)
        }
      },
      (failure: unknown) => {
        if (there) {
          setError(failure)
        }
      },
    )
    return () => {
      there = false
    }
  }, [letGo])

  if (counted === undefined) {
    return (
      <Dialog open onClose={onClose} title={`Let go of old events of ${name}`} actions={<Button onClick={onClose}>Close</Button>}>
        {error === undefined ? <Loading what="Counting" /> : <ProblemNote error={error} />}
      </Dialog>
    )
  }
  const events = `${counted.exact === false ? 'about ' : ''}${count(counted.events ?? 0)} events`
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Let go of ${events} of ${name}?`}
      verb={`Let go of ${events}`}
      danger
      reason="required"
      onConfirm={async (reason) => {
        await letGo(reason, false)
        toast(`${name} lets go: its lanes do it as they come to it.`)
      }}
    >
      <p>Those that it has not settled and that are older than the retention become its dead letters, and the log can be cut. They can be replayed for as long as the dead letters are kept.</p>
    </ConfirmDialog>
  )
}
