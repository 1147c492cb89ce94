import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { usePermission } from '~/api/permissions'
import type { Subscription, SubscriptionLine } from '~/api/subscriptions'
import { useSubscriptionChanges } from '~/api/subscriptionChanges'
import { ActionButton } from '~/components/Button'
import { ConfirmDialog } from '~/components/ConfirmDialog'
import { Menu } from '~/components/Menu'
import { toast } from '~/components/Toasts'
import { count } from '~/lib/format'
import { LetGoDialog } from './LetGoDialog'
import { RotateDialog } from './RotateDialog'
import { TestDialog } from './TestDialog'

type Asking = 'pause' | 'resume' | 'test' | 'rotate' | 'let-go' | 'delete'

const elsewhere = 'An application’s own relay serves it: this is done where it is made.'

/** What one may do to a subscription: all of it is there for everybody, and says why it cannot be done. */
export function SubscriptionActions({ subscription, line }: { subscription: Subscription; line: SubscriptionLine | undefined }) {
  const name = subscription.name ?? ''
  const [asking, setAsking] = useState<Asking>()
  const navigate = useNavigate()
  const changes = useSubscriptionChanges(name)
  const mayRotate = usePermission('subscription.rotate-secret')
  const mayDelete = usePermission('subscription.delete')
  const mayLetGo = usePermission('subscription.let-go')
  const close = () => {
    setAsking(undefined)
  }
  const ask = (what: Asking) => () => {
    setAsking(what)
  }
  const own = subscription.servedBy === 'application' ? elsewhere : undefined
  const going = subscription.state === 'deleting' ? 'It is being deleted.' : undefined
  const signs = subscription.sink !== undefined && 'signingSecrets' in subscription.sink && (subscription.sink.signingSecrets?.length ?? 0) > 0
  const why = (may: typeof mayRotate, other: string | undefined) => (may.allowed ? other : may.why)

  return (
    <>
      <ActionButton action="subscription.test" why={own ?? going} onClick={ask('test')}>
        Test
      </ActionButton>
      {subscription.paused ? (
        <ActionButton action="subscription.resume" why={going} onClick={ask('resume')}>
          Resume
        </ActionButton>
      ) : (
        <ActionButton action="subscription.pause" why={going} onClick={ask('pause')}>
          Pause
        </ActionButton>
      )}
      <ActionButton action="subscription.change" why={own ?? going} onClick={() => void navigate({ to: '/subscriptions/$name/edit', params: { name } })}>
        Edit
      </ActionButton>
      <Menu
        label="More"
        items={[
          { name: 'Rotate its signing secret', onSelect: ask('rotate'), why: why(mayRotate, own ?? going ?? (signs ? undefined : 'It does not sign.')) },
          { name: 'Let go of its old events', onSelect: ask('let-go'), why: why(mayLetGo, going) },
          { name: 'Delete', onSelect: ask('delete'), danger: true, why: why(mayDelete, own ?? going) },
        ]}
      />
      <ConfirmDialog
        open={asking === 'pause'}
        onClose={close}
        title={`Pause ${name}?`}
        verb="Pause"
        reason="optional"
        onConfirm={async (reason) => {
          const after = await changes.pause(reason)
          toast(after.state === 'pausing' ? `${name} is pausing: something is still on its way.` : `${name} is paused.`)
        }}
      >
        <p>Nothing is sent until somebody resumes it. It keeps its place, and the log keeps its events.</p>
      </ConfirmDialog>
      <ConfirmDialog
        open={asking === 'resume'}
        onClose={close}
        title={`Resume ${name}?`}
        verb="Resume"
        reason="optional"
        onConfirm={async (reason) => {
          await changes.resume(reason)
          toast(`${name} is resumed.`)
        }}
      >
        <p>
          It goes on where it was paused{line?.pending?.count ? `, with ${line.pending.exact === false ? 'about ' : ''}${count(line.pending.count)} events that are pending` : ''}.
          {subscription.pauseReason !== undefined && ' Its receiver asked for the pause: look whether it wants events again.'}
        </p>
      </ConfirmDialog>
      <ConfirmDialog
        open={asking === 'delete'}
        onClose={close}
        title={`Delete ${name}?`}
        verb={`Delete ${name}`}
        danger
        reason="none"
        onConfirm={async () => {
          await changes.remove(subscription.revision)
          toast(`${name} is deleted.`)
          void navigate({ to: '/subscriptions' })
        }}
      >
        <p>This cannot be taken back. With it go its place in the log and</p>
        <ul className="subscriptions-points">
          <li>
            {line?.pending === undefined ? 'its pending events, of which there are no figures yet' : `${line.pending.exact === false ? 'about ' : ''}${count(line.pending.count ?? 0)} pending events, which it will never get`}
          </li>
          <li>{line === undefined ? 'its dead letters, of which there are no figures yet' : `${count(line.deadLetters ?? 0)} dead letters, open ones too`}</li>
        </ul>
        <p>What it was given is still told with the events. To stop it for a while, pause it instead.</p>
      </ConfirmDialog>
      {asking === 'test' && <TestDialog subscription={subscription} onClose={close} />}
      {asking === 'rotate' && <RotateDialog name={name} onClose={close} />}
      {asking === 'let-go' && <LetGoDialog name={name} onClose={close} />}
    </>
  )
}
