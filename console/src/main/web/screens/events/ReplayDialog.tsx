import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { replayEvent, useReplayPreview, useSubscriptionNames, type EventDetail, type Preview } from '~/api/events'
import { ConfirmDialog } from '~/components/ConfirmDialog'
import { Field } from '~/components/Field'
import { Loading, ProblemNote } from '~/components/states'
import { Shape } from '~/components/Status'
import { toast } from '~/components/Toasts'
import { byTrouble } from './story'
import { present, replayable } from './doing'

/** Sends the event again to one subscription, and to no other. */
export function ReplayDialog({ event, open, onClose }: { event: EventDetail; open: boolean; onClose: () => void }) {
  const own = byTrouble(present(event))
  const [chosen, setChosen] = useState<string>()
  const names = useSubscriptionNames(open)
  const others = (names.data ?? []).filter((name) => !own.some((item) => item.subscription === name))
  const subscription = chosen ?? own.find((item) => 'deadLetter' in replayable(item))?.subscription ?? own[0]?.subscription ?? others[0]
  const what = replayable(own.find((item) => item.subscription === subscription))
  const one = open && subscription !== undefined && 'deadLetter' in what ? { id: event.id ?? '', subscription, deadLetter: what.deadLetter } : undefined
  const preview = useReplayPreview(one)
  const queries = useQueryClient()

  const why = 'why' in what ? what.why : subscription === undefined ? 'There is no subscription.' : preview.data === undefined ? 'It is not known yet what it would do.' : preview.data.count === 0 ? 'Nothing would be sent.' : undefined
  const send = async (reason: string) => {
    if (one === undefined) {
      return
    }
    const id = await replayEvent(one, reason)
    toast(`Replay ${id} sends it to ${one.subscription}.`)
    void queries.invalidateQueries({ queryKey: ['event'] })
    void queries.invalidateQueries({ queryKey: ['replays'] })
  }

  return (
    <ConfirmDialog open={open} onClose={onClose} title="Replay this event" verb={subscription === undefined ? 'Send it again' : `Send it again to ${subscription}`} why={why} reason="optional" onConfirm={send}>
      <Field label="To the subscription" required hint="It alone gets the event, with the header posthorn-replay.">
        {(ties) => (
          <select
            {...ties}
            value={subscription ?? ''}
            onChange={(change) => {
              setChosen(change.target.value)
            }}
          >
            {own.length > 0 && (
              <optgroup label="Wanted it">
                {own.map(({ subscription: name = '', status = '' }) => (
                  <option key={name} value={name}>
                    {name} ({status.toLowerCase()})
                  </option>
                ))}
              </optgroup>
            )}
            {others.length > 0 && (
              <optgroup label="Others">
                {others.map((name) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
              </optgroup>
            )}
          </select>
        )}
      </Field>
      {'why' in what ? (
        <Warning>{what.why}</Warning>
      ) : preview.error !== null ? (
        <ProblemNote error={preview.error} />
      ) : preview.data === undefined ? (
        <Loading what="Asking what it would do" />
      ) : (
        <WhatItDoes preview={preview.data} deadLetter={what.deadLetter} />
      )}
    </ConfirmDialog>
  )
}

function WhatItDoes({ preview, deadLetter }: { preview: Preview; deadLetter: boolean }) {
  return (
    <>
      <p>
        {(preview.count ?? 0) === 0
          ? 'Nothing would be sent.'
          : deadLetter
            ? 'Its dead letter is sent once. If that goes well, the dead letter is gone; if it fails, it stays, with the attempt added.'
            : 'It is sent once more out of the log. A receiver that had it already gets it again, under the same id.'}
      </p>
      {(preview.warnings ?? []).map((warning, index) => (
        <Warning key={index}>{warning.text ?? warning.code ?? ''}</Warning>
      ))}
    </>
  )
}

function Warning({ children }: { children: string }) {
  return (
    <div className="note note-warn">
      <Shape tone="warn" />
      <p className="note-body wrap">{children}</p>
    </div>
  )
}
