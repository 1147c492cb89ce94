import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSubscription, type Subscription } from '~/api/subscriptions'
import { useSubscriptionChanges } from '~/api/subscriptionChanges'
import { Button } from '~/components/Button'
import { Page } from '~/components/Page'
import { Empty, Loaded, Permitted } from '~/components/states'
import { Shape } from '~/components/Status'
import { toast } from '~/components/Toasts'
import { documentOf } from './document'
import { SubscriptionForm } from './SubscriptionForm'
import { writingOf } from './search'
import './subscriptions.css'

const route = getRouteApi('/subscriptions/$name/edit')

export function EditSubscriptionScreen() {
  const { name } = route.useParams()
  const subscription = useSubscription(name)
  // Counts how often one began anew with what is there now.
  const [round, setRound] = useState(0)
  return (
    <Page
      title={`Edit ${name}`}
      about={
        <Link to="/subscriptions/$name" params={{ name }}>
          Back to it
        </Link>
      }
    >
      <Permitted action="subscription.change">
        <Loaded query={subscription}>
          {(data) =>
            data.servedBy === 'application' ? (
              <Empty title="An application’s own relay serves this subscription.">
                <p>It is changed where it is made.</p>
              </Empty>
            ) : (
              <Editing key={round} current={data} again={() => { setRound(round + 1) }} />
            )
          }
        </Loaded>
      </Permitted>
    </Page>
  )
}

function Editing({ current, again }: { current: Subscription; again: () => void }) {
  // What one began with: the hub is told its revision, so that nobody's change is overwritten unseen.
  const [before] = useState(current)
  const { as } = route.useSearch()
  const navigate = route.useNavigate()
  const name = before.name ?? ''
  const { change } = useSubscriptionChanges(name)
  return (
    <>
      {current.revision !== before.revision && (
        <div className="note note-warn" role="status">
          <Shape tone="warn" />
          <div className="note-body">
            <p>
              Somebody changed it meanwhile: you began with revision {before.revision}, and now it is {current.revision}. What you write here would be refused.
            </p>
            <p>
              <Button onClick={again}>Begin anew with what is there now</Button>
            </p>
          </div>
        </div>
      )}
      <SubscriptionForm
        name={name}
        initial={documentOf(before)}
        asJson={as === 'json'}
        onAsJson={(json) => void navigate({ search: writingOf({ as: json ? 'json' : undefined }), replace: true })}
        save={async (_, doc) => {
          const after = await change(doc, before.revision ?? 0)
          toast(`${name} is saved${after.revision === undefined ? '' : ` as revision ${after.revision}`}.`)
          void navigate({ to: '/subscriptions/$name', params: { name } })
        }}
        onCancel={() => void navigate({ to: '/subscriptions/$name', params: { name } })}
      />
    </>
  )
}
