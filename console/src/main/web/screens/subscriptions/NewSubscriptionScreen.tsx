import { getRouteApi } from '@tanstack/react-router'
import { useSubscriptionCreation } from '~/api/subscriptionChanges'
import { Page } from '~/components/Page'
import { Permitted } from '~/components/states'
import { toast } from '~/components/Toasts'
import { emptyDocument } from './SinkFields'
import { SubscriptionForm } from './SubscriptionForm'
import { writingOf } from './search'
import './subscriptions.css'

const route = getRouteApi('/subscriptions/-/new')

export function NewSubscriptionScreen() {
  const { as } = route.useSearch()
  const navigate = route.useNavigate()
  const create = useSubscriptionCreation()
  return (
    <Page title="New subscription" about="Says who gets which events, and how. Only where to is needed; the rest has defaults.">
      <Permitted action="subscription.create">
        <SubscriptionForm
          name={undefined}
          initial={emptyDocument}
          asJson={as === 'json'}
          onAsJson={(json) => void navigate({ search: writingOf({ as: json ? 'json' : undefined }), replace: true })}
          save={async (name, doc) => {
            await create(name, doc)
            toast(`${name} is created.`)
            void navigate({ to: '/subscriptions/$name', params: { name } })
          }}
          onCancel={() => void navigate({ to: '/subscriptions' })}
        />
      </Permitted>
    </Page>
  )
}
