import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useEvent, type EventDetail } from '~/api/events'
import { Problem } from '~/api/problem'
import { useMe } from '~/api/session'
import { ActionButton, Button } from '~/components/Button'
import { CopyButton } from '~/components/CopyButton'
import { Page, Section } from '~/components/Page'
import { ScreenLink } from '~/components/ScreenLink'
import { Loaded } from '~/components/states'
import { Status } from '~/components/Status'
import { Tabs } from '~/components/Tabs'
import { count } from '~/lib/format'
import { writeTerm } from '~/lib/filter'
import { deliverCommand, lookCommand } from './curl'
import { DeferDialog } from './DeferDialog'
import { deferable } from './doing'
import { EventFacts } from './EventFacts'
import { Headers } from './Headers'
import { Neighbours } from './Neighbours'
import { Payload } from './Payload'
import { ReplayDialog } from './ReplayDialog'
import { Story } from './Story'
import './events.css'

const route = getRouteApi('/events/$id')

export function EventScreen() {
  const { id } = route.useParams()
  const { source } = route.useSearch()
  const event = useEvent(id, source)
  const name = event.data?.type
  return (
    <Page title={name ?? 'Event'} beside={event.data && <Status of={event.data.status} />} about={<code className="wrap">{event.data?.sourceId ?? id}</code>} actions={event.data && <Actions event={event.data} />}>
      <Loaded query={event} what="Looking for the event">{(data) => <WholeEvent event={data} />}</Loaded>
      {event.error instanceof Problem && event.error.status === 409 && (
        <p>
          <ScreenLink to="/events" search={{ q: writeTerm('id', id) }}>
            The events with this id, by source
          </ScreenLink>
        </p>
      )}
    </Page>
  )
}

function Actions({ event }: { event: EventDetail }) {
  const { keys, payload } = useMe()
  const [asking, setAsking] = useState<'replay' | 'defer'>()
  const close = () => {
    setAsking(undefined)
  }
  const barred = payload ? undefined : 'You may not see the whole payload, so what you would send is not what was recorded.'
  return (
    <>
      <CopyButton label="Copy look-up as curl" text={() => lookCommand(location.origin, event.id ?? '', keys)} />
      {barred === undefined ? (
        <CopyButton label="Copy delivery as curl" text={() => deliverCommand(event, 'http://localhost:3000/')} />
      ) : (
        <Button look="quiet" why={barred}>
          Copy delivery as curl
        </Button>
      )}
      <ActionButton
        action="event.defer"
        why={deferable(event).length === 0 ? 'Nothing waits: only what has not been sent yet can be put off.' : undefined}
        onClick={() => {
          setAsking('defer')
        }}
      >
        Defer …
      </ActionButton>
      <ActionButton
        action="replay.start"
        look="primary"
        onClick={() => {
          setAsking('replay')
        }}
      >
        Replay …
      </ActionButton>
      <ReplayDialog event={event} open={asking === 'replay'} onClose={close} />
      <DeferDialog event={event} open={asking === 'defer'} onClose={close} />
    </>
  )
}

function WholeEvent({ event }: { event: EventDetail }) {
  const { tab = 'payload' } = route.useSearch()
  const navigate = route.useNavigate()
  const headers = Object.keys(event.headers ?? {}).length
  return (
    <>
      <EventFacts event={event} />
      <Section title="Story">
        <Story event={event} />
      </Section>
      <section className="panel" aria-label="What is in it">
        <Tabs
          label="What is in it"
          open={tab}
          onOpen={(next) => void navigate({ search: (search) => ({ ...search, tab: next }), replace: true })}
          tabs={[
            { id: 'payload', name: 'Payload', content: () => <Payload event={event} /> },
            { id: 'headers', name: `Headers (${count(headers)})`, content: () => <Headers headers={event.headers ?? {}} /> },
            { id: 'key', name: 'Same key', content: () => <Neighbours event={event} /> },
          ]}
        />
      </section>
    </>
  )
}
