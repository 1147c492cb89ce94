import { useState } from 'react'
import { useReplayDeeds, type Replay } from '~/api/replays'
import { ActionButton, Button } from '~/components/Button'
import { ConfirmDialog } from '~/components/ConfirmDialog'
import { Dialog } from '~/components/Dialog'
import { Field } from '~/components/Field'
import { ProblemNote } from '~/components/states'
import { toast } from '~/components/Toasts'
import { count } from '~/lib/format'
import { paceFaults } from './plan'

/** Pause, resume, cancel, another pace: each there for every state, and saying why it does not go in this one. */
export function Steering({ id, replay }: { id: string; replay: Replay }) {
  const deeds = useReplayDeeds()
  const [asking, setAsking] = useState<'pause' | 'cancel' | 'resume' | 'pace'>()
  const close = () => {
    setAsking(undefined)
  }
  const { state } = replay
  const over = state === 'FINISHED' || state === 'CANCELLED' ? `It is ${state.toLowerCase()}.` : undefined
  const waits = state === 'WAITING_FOR_GO'
  const rest = count(replay.pending ?? 0)
  return (
    <>
      <ActionButton
        action="replay.steer"
        look={waits || state === 'PAUSED' ? 'primary' : 'plain'}
        why={over ?? (state === 'RUNNING' ? 'It is running.' : undefined)}
        onClick={() => { setAsking('resume') }}
      >
        {waits ? 'Let the others go …' : 'Resume …'}
      </ActionButton>
      <ActionButton action="replay.steer" why={over ?? (state === 'RUNNING' ? undefined : 'Nothing is being sent now.')} onClick={() => { setAsking('pause') }}>
        Pause …
      </ActionButton>
      <ActionButton action="replay.steer" why={over} onClick={() => { setAsking('pace') }}>
        Change the pace …
      </ActionButton>
      <ActionButton action="replay.steer" look="danger" why={over} onClick={() => { setAsking('cancel') }}>
        Cancel …
      </ActionButton>
      <ConfirmDialog
        open={asking === 'resume'}
        onClose={close}
        title={waits ? 'Let the others go' : `Resume replay ${id}`}
        verb={waits ? `Send the other ${rest}` : 'Resume'}
        reason="none"
        onConfirm={async () => {
          await deeds.resume(id)
          toast('It goes on.')
        }}
      >
        <p>{rest} are pending. The failure rate that stops it is counted anew.</p>
      </ConfirmDialog>
      <ConfirmDialog
        open={asking === 'pause'}
        onClose={close}
        title={`Pause replay ${id}`}
        verb="Pause"
        reason="optional"
        onConfirm={async (reason) => {
          await deeds.pause(id, reason)
          toast('It is paused.')
        }}
      >
        <p>Nothing more is sent until somebody resumes it. What is under way comes to its end.</p>
      </ConfirmDialog>
      <ConfirmDialog
        open={asking === 'cancel'}
        onClose={close}
        danger
        title={`Cancel replay ${id}`}
        verb={`Cancel, and skip ${rest}`}
        reason="optional"
        onConfirm={async (reason) => {
          await deeds.cancel(id, reason)
          toast('It is cancelled.')
        }}
      >
        <p>What was not sent is skipped, and stays what it was. A cancelled replay cannot be resumed; another can be started.</p>
      </ConfirmDialog>
      {asking === 'pace' && <PaceDialog id={id} replay={replay} onClose={close} />}
    </>
  )
}

function PaceDialog({ id, replay, onClose }: { id: string; replay: Replay; onClose: () => void }) {
  const deeds = useReplayDeeds()
  const [rate, setRate] = useState(replay.ratePerSecond === undefined ? '' : String(replay.ratePerSecond))
  const [inFlight, setInFlight] = useState(replay.maxInFlight === undefined ? '' : String(replay.maxInFlight))
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const faults = paceFaults({ rate, inFlight })
  const save = async () => {
    if (Object.keys(faults).length > 0) {
      return
    }
    setBusy(true)
    setError(undefined)
    try {
      await deeds.pace(id, { ratePerSecond: rate.trim() === '' ? null : Number(rate), maxInFlight: inFlight.trim() === '' ? null : Number(inFlight) })
      toast('The pace is changed.')
      onClose()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Pace of replay ${id}`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" why={busy ? 'It is being changed.' : Object.keys(faults).length > 0 ? 'Something is wrong above.' : undefined} onClick={() => void save()}>
            Change the pace
          </Button>
        </>
      }
    >
      <Field label="At most so many a second" hint="Over all instances. Empty: no limit." fault={faults.rate}>
        {(ties) => <input {...ties} inputMode="decimal" value={rate} onChange={(event) => { setRate(event.target.value) }} />}
      </Field>
      <Field label="At most so many at a time" hint="For each subscriber. Empty: no limit." fault={faults.inFlight}>
        {(ties) => <input {...ties} inputMode="numeric" value={inFlight} onChange={(event) => { setInFlight(event.target.value) }} />}
      </Field>
      {error !== undefined && <ProblemNote error={error} />}
    </Dialog>
  )
}
