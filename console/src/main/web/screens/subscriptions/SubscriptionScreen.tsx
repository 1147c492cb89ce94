import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSubscription, useSubscriptionLine, type Subscription, type SubscriptionLine } from '~/api/subscriptions'
import { Page, Fact, Facts, Section, Tile, Tiles } from '~/components/Page'
import { JsonView } from '~/components/JsonView'
import { Loaded } from '~/components/states'
import { Shape, Status } from '~/components/Status'
import { Tabs } from '~/components/Tabs'
import { Time } from '~/components/Time'
import { count, duration, durationMillis, percent, rate, shortCount } from '~/lib/format'
import { Attempts } from './Attempts'
import { documentOf, plain } from './document'
import { Revisions } from './Revisions'
import { openTabs } from './search'
import { SeriesChart } from './SeriesChart'
import { SubscriptionActions } from './SubscriptionActions'
import { Health, troubles } from './trouble'
import './subscriptions.css'

const route = getRouteApi('/subscriptions/$name')

export function SubscriptionScreen() {
  const { name } = route.useParams()
  const subscription = useSubscription(name)
  const figures = useSubscriptionLine(name)
  const { data } = subscription
  return (
    <Page
      title={name}
      beside={
        <>
          {data && <Status of={data.state} />}
          {figures.data?.line && figures.data.line.trouble !== 'paused' && <Health line={figures.data.line} />}
        </>
      }
      about={
        <>
          <Link to="/subscriptions">All subscriptions</Link>
          {data?.description !== undefined && <> · {data.description}</>}
        </>
      }
      actions={data && <SubscriptionActions subscription={data} line={figures.data?.line} />}
    >
      <Loaded query={subscription}>{(loaded) => <Detail subscription={loaded} name={name} line={figures.data?.line} />}</Loaded>
    </Page>
  )
}

function Detail({ subscription, name, line }: { subscription: Subscription; name: string; line: SubscriptionLine | undefined }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const document = documentOf(subscription)
  return (
    <>
      <Notes subscription={subscription} line={line} />
      <Tabs
        label={`Subscription ${name}`}
        open={search.tab ?? 'now'}
        onOpen={(id) => {
          const tab = openTabs.find((one) => one === id)
          void navigate({ search: tab === undefined || tab === 'now' ? {} : { tab } })
        }}
        tabs={[
          { id: 'now', name: 'How it does', content: () => <Now name={name} subscription={subscription} line={line} /> },
          { id: 'attempts', name: 'Attempts', content: () => <Attempts name={name} keepsAll={subscription.keepAttempts === 'all'} /> },
          { id: 'revisions', name: 'Revisions', content: () => <Revisions name={name} /> },
          { id: 'document', name: 'Document', content: () => <JsonView text={JSON.stringify(document)} /> },
        ]}
      />
    </>
  )
}

/** What somebody who opens this has to know first. */
function Notes({ subscription, line }: { subscription: Subscription; line: SubscriptionLine | undefined }) {
  const { state, reason, pauseReason, formerSecretUntil, servedBy } = subscription
  const away = line?.denial ?? line?.breaker
  return (
    <>
      {(state === 'invalid' || state === 'locked') && <Note tone="bad">It is not served: {reason ?? `it is ${state}`}</Note>}
      {state === 'pending' && <Note tone="warn">The filter or the number of lanes that it says takes effect in a moment; while it is paused, when it is resumed.</Note>}
      {state === 'deleting' && <Note tone="warn">It is being deleted: it goes when no instance has anything of it under way.</Note>}
      {pauseReason !== undefined && <Note tone="warn">Its receiver asked for the pause: {pauseReason}</Note>}
      {line?.trouble === 'not-served' && (
        <Note tone="bad">
          {troubles['not-served'].about} {count(line.ownedLanes ?? 0)} of {count(line.lanes ?? 0)} have one.
        </Note>
      )}
      {away !== undefined && line !== undefined && (
        <Note tone="bad">
          {troubles[line.denial === undefined ? 'breaker-open' : 'denial'].about} {away.reason !== undefined && <span className="wrap">{away.reason}. </span>}
          Since <Time at={away.since} show="both" />
          {away.probedEvery !== undefined && <>, probed every {away.probedEvery} at the longest</>}
          .
        </Note>
      )}
      {formerSecretUntil !== undefined && (
        <Note tone="warn">
          Its former signing secret signs too until <Time at={formerSecretUntil} show="both" />. Give the new one to the receiver before.
        </Note>
      )}
      {servedBy === 'application' && <p className="muted">An application’s own relay serves it. It is changed, tested and deleted where it is made; what that relay delivers is not counted here.</p>}
    </>
  )
}

function Note({ tone, children }: { tone: 'bad' | 'warn'; children: ReactNode }) {
  return (
    <div className={`note note-${tone}`} role="status">
      <Shape tone={tone} />
      <div className="note-body">
        <p className="wrap">{children}</p>
      </div>
    </div>
  )
}

function age(text: string | undefined, none: string) {
  const millis = text === undefined ? undefined : durationMillis(text)
  return millis === undefined ? none : duration(millis)
}

/** What the document leaves out, of the hub's own subscriptions: docs/subscriptions.md has the defaults. */
const defaultOf = (value: string) => (
  <>
    {value} <span className="muted">(default)</span>
  </>
)

function Now({ name, subscription, line }: { name: string; subscription: Subscription; line: SubscriptionLine | undefined }) {
  const { sink, filter, retry } = subscription
  // Of an application's own only the application knows.
  const byDefault = (value: string) => (subscription.servedBy === 'application' ? '–' : defaultOf(value))
  return (
    <div className="stack">
      {line !== undefined && (
        <Tiles>
          <Tile name="Delivered" value={line.servedBy === 'application' ? '–' : rate(line.deliveredPerSecond ?? 0)} note={`${percent(line.errorRate ?? 0)} of the attempts fail`} />
          <Tile name="Pending" value={`${line.pending?.exact === false ? '≈ ' : ''}${shortCount(line.pending?.count ?? 0)}`} note={age(line.oldestAge, 'nothing waits').concat(line.oldestAge === undefined ? '' : ' the oldest')} />
          <Tile name="Held and waiting" value={shortCount((line.held ?? 0) + (line.waiting ?? 0))} note={`${count(line.held ?? 0)} held, ${count(line.waiting ?? 0)} to be tried again, ${count(line.blockedKeys ?? 0)} keys blocked`} />
          <Tile
            name="Dead letters"
            value={shortCount(line.deadLetters ?? 0)}
            note={
              <Link to="/dead-letters" search={{ q: `sub:${name}` }}>
                {line.deadLetters ? `${age(line.oldestDeadLetterAge, '')} the oldest` : 'Look'}
              </Link>
            }
          />
          <Tile name="Lanes" value={`${count(line.ownedLanes ?? 0)} / ${count(line.lanes ?? 0)}`} note="have an instance that delivers" />
        </Tiles>
      )}
      <SeriesChart name={name} />
      <Section title="What it is">
        <Facts>
          <Fact name="Sink">{sink?.kind ?? '–'}</Fact>
          {sink !== undefined && 'url' in sink && <Fact name="Address"><code>{sink.url}</code></Fact>}
          {sink !== undefined && 'topic' in sink && (
            <>
              <Fact name="Bootstrap servers"><code>{sink.bootstrapServers}</code></Fact>
              <Fact name="Topic"><code>{sink.topic}</code></Fact>
            </>
          )}
          {sink !== undefined && 'guard' in sink && <Fact name="Guard">{sink.guard}</Fact>}
          <Fact name="Types">{filter?.types?.join(', ') ?? 'all'}</Fact>
          <Fact name="Sources">{filter?.sources?.join(', ') ?? 'all'}</Fact>
          {filter?.aggregateTypes !== undefined && <Fact name="Aggregate types">{filter.aggregateTypes.join(', ')}</Fact>}
          <Fact name="Order">{subscription.ordering === 'none' ? 'none' : 'events of a key in order'}</Fact>
          <Fact name="Attempts">{retry?.maxAttempts === undefined ? byDefault('5') : plain(retry.maxAttempts)}</Fact>
          <Fact name="Waits between them">{retry?.delays?.join(', ') ?? byDefault('30s, 1m, 2m, 5m')}</Fact>
          <Fact name="Timeout">{subscription.timeout ?? byDefault('10s')}</Fact>
          <Fact name="Began at">{subscription.start ?? byDefault('now')}</Fact>
          <Fact name="Created"><Time at={subscription.createdAt} /></Fact>
          <Fact name="Changed"><Time at={subscription.changedAt} /></Fact>
          <Fact name="Revision">{subscription.revision ?? '–'}</Fact>
          <Fact name="Its events">
            <Link to="/events" search={{ q: `sub:${name}` }}>Look at them</Link>
          </Fact>
        </Facts>
      </Section>
    </div>
  )
}
