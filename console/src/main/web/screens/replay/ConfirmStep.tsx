import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useReplayDeeds, type ReplayDocument, type ReplayPreview } from '~/api/replays'
import { ActionButton } from '~/components/Button'
import { Field } from '~/components/Field'
import { Fact, Facts } from '~/components/Page'
import { ProblemNote } from '~/components/states'
import { count } from '~/lib/format'
import { planDocument, planFaults, type PlanSearch } from './plan'
import { Preview } from './Preview'
import { scopeWords } from './scopeWords'

interface ConfirmStepProps {
  plan: PlanSearch
  document: ReplayDocument | undefined
  preview: { data: ReplayPreview | undefined; error: Error | null; dataUpdatedAt: number; isFetching: boolean; refetch: () => unknown }
}

export function ConfirmStep({ plan, document, preview }: ConfirmStepProps) {
  const navigate = useNavigate()
  const deeds = useReplayDeeds()
  const [reason, setReason] = useState('')
  const [tried, setTried] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const all = preview.data?.count ?? 0
  const required = preview.data?.needsReason === true
  const missing = required && reason.trim() === ''

  const start = async () => {
    setTried(true)
    if (missing || document === undefined || busy || all === 0) {
      return
    }
    setBusy(true)
    setError(undefined)
    try {
      const replay = await deeds.start({ ...document, ...planDocument(plan), ...(reason.trim() === '' ? {} : { reason: reason.trim() }) })
      await navigate({ to: '/replay/$id', params: { id: String(replay.id) }, replace: true })
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }

  const { canary, rate, inFlight, stop } = plan
  const set = (text: string | undefined): text is string => text !== undefined && text !== ''
  return (
    <>
      {document === undefined ? <p>Nothing is chosen: go back and say what is to be sent.</p> : <Preview query={preview} />}
      <Facts>
        {document !== undefined && <Fact name="What">{scopeWords(document)}</Fact>}
        <Fact name="Canary">{set(canary) ? `${canary} first, then ${plan.then === 'go-on' ? 'the others if all were delivered' : 'wait for the go'}` : 'none: all at once'}</Fact>
        <Fact name="Pace">{[set(rate) ? `${rate} a second` : '', set(inFlight) ? `${inFlight} at a time` : ''].filter((text) => text !== '').join(', ') || 'no limit'}</Fact>
        <Fact name="Brake">{set(stop) ? `pauses if more than ${stop} % fail` : 'none'}</Fact>
      </Facts>
      <p className="muted">
        The set is frozen when it starts: what fails later is not in it. Every event keeps its id, so that an inbox knows it. It can be paused and cancelled on its page;
        what was sent is sent.
      </p>
      <Field
        label="Reason"
        required={required}
        hint={required ? 'Needed for so many. Kept with the replay and in the audit.' : 'Kept with the replay and in the audit.'}
        fault={tried && missing ? 'Say why.' : undefined}
      >
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
                void start()
              }
            }}
          />
        )}
      </Field>
      {error !== undefined && <ProblemNote error={error} />}
      <div className="row">
        <ActionButton
          action="replay.start"
          look="primary"
          why={busy ? 'It is being started.' : Object.keys(planFaults(plan)).length > 0 ? 'Something in the plan is wrong: go back to it.' : all === 0 ? 'There is nothing to send.' : undefined}
          onClick={() => void start()}
        >
          Replay {count(all)} {all === 1 ? 'event' : 'events'}
        </ActionButton>
      </div>
    </>
  )
}
