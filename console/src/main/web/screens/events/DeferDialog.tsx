import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { deferEvent, type EventDetail } from '~/api/events'
import { Button } from '~/components/Button'
import { ConfirmDialog } from '~/components/ConfirmDialog'
import { Field } from '~/components/Field'
import { toast } from '~/components/Toasts'
import { useNow } from '~/lib/clock'
import { localTime, viewerZone } from '~/lib/format'
import { deferable, inputTime } from './doing'

const ahead = [
  { name: 'in an hour', millis: 3_600_000 },
  { name: 'in 6 hours', millis: 6 * 3_600_000 },
  { name: 'in a day', millis: 86_400_000 },
]

/** Has one subscription get the event not before a time. */
export function DeferDialog({ event, open, onClose }: { event: EventDetail; open: boolean; onClose: () => void }) {
  const waiting = deferable(event)
  const now = useNow()
  const queries = useQueryClient()
  const [chosen, setChosen] = useState<string>()
  const [text, setText] = useState('')
  const subscription = waiting.find((item) => item.subscription === chosen)?.subscription ?? waiting[0]?.subscription ?? ''
  const until = text === '' || Number.isNaN(Date.parse(text)) ? undefined : new Date(text)
  const fault = until !== undefined && until.getTime() <= now ? 'This time is past.' : undefined

  const defer = async () => {
    if (until === undefined) {
      return
    }
    const done = await deferEvent({ id: event.id ?? '', subscription, until: until.toISOString() })
    if (done) {
      toast(`${subscription} gets it not before ${localTime(until)}.`)
    } else {
      toast(`The relay of ${subscription} has not answered yet, and may still put it off. The story tells.`, 'busy')
    }
    void queries.invalidateQueries({ queryKey: ['event'] })
  }

  return (
    <ConfirmDialog open={open} onClose={onClose} title="Defer this event" verb="Defer it" why={until === undefined ? 'Give the time from which on it may be sent.' : fault} reason="none" onConfirm={defer}>
      <p>Later events of its key wait for it, if the subscription keeps their order.</p>
      <Field label="For the subscription" required hint="Others get it as they would.">
        {(ties) => (
          <select
            {...ties}
            value={subscription}
            onChange={(change) => {
              setChosen(change.target.value)
            }}
          >
            {waiting.map(({ subscription: name = '', status = '' }) => (
              <option key={name} value={name}>
                {name} ({status.toLowerCase()})
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Not before" required hint={`In your zone, ${viewerZone()}.`} fault={fault}>
        {(ties) => (
          <input
            {...ties}
            type="datetime-local"
            value={text}
            onChange={(change) => {
              setText(change.target.value)
            }}
          />
        )}
      </Field>
      <div className="row">
        {ahead.map(({ name, millis }) => (
          <Button
            key={name}
            look="quiet"
            onClick={() => {
              setText(inputTime(new Date(now + millis)))
            }}
          >
            {name}
          </Button>
        ))}
      </div>
    </ConfirmDialog>
  )
}
