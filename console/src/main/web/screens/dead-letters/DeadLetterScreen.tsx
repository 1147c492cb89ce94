import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useDeadLetter, useDeadLetterDeeds, type DeadLetterDetail } from '~/api/deadLetters'
import { Problem } from '~/api/problem'
import { ActionButton } from '~/components/Button'
import { ConfirmDialog } from '~/components/ConfirmDialog'
import { CopyButton } from '~/components/CopyButton'
import { Fact, Facts, Page, Section } from '~/components/Page'
import { Empty, Loaded } from '~/components/states'
import { Badge } from '~/components/Status'
import { EventLink, SubscriptionLink } from '~/components/ScreenLink'
import { Time } from '~/components/Time'
import { toast } from '~/components/Toasts'
import { groupText } from '~/lib/deadLetterFilter'
import { count } from '~/lib/format'
import { Attempts } from './Attempts'
import { GiveUpDialog } from './GiveUpDialog'
import { Payload } from './Payload'
import './dead-letters.css'

const route = getRouteApi('/dead-letters/$id')

export function DeadLetterScreen() {
  const { id } = route.useParams()
  const letter = useDeadLetter(id)
  if (letter.error instanceof Problem && letter.error.status === 404) {
    return (
      <Page title={`Dead letter ${id}`}>
        <Empty title="This is no dead letter any more.">
          <p>It was delivered by a replay, or purged. The audit tells who purged it.</p>
          <Link to="/dead-letters">To the dead letters there are</Link>
        </Empty>
      </Page>
    )
  }
  return (
    <Page
      title={`Dead letter ${id}`}
      beside={letter.data && <State of={letter.data} />}
      actions={letter.data && <Deeds id={id} letter={letter.data} />}
      about={<Link to="/dead-letters">All dead letters</Link>}
    >
      <Loaded query={letter}>{(found) => <Detail letter={found} />}</Loaded>
    </Page>
  )
}

function State({ of }: { of: DeadLetterDetail }) {
  return (
    <>
      {of.discarded !== undefined ? <Badge tone="off">discarded</Badge> : of.replaying === true ? <Badge tone="busy">being sent again</Badge> : <Badge tone="bad">open</Badge>}
      {of.holdsKey === true && (
        <Badge tone="warn" tip="Later events of its key wait until it is delivered, discarded, purged or released.">
          holds its key
        </Badge>
      )}
    </>
  )
}

function Deeds({ id, letter }: { id: string; letter: DeadLetterDetail }) {
  const navigate = useNavigate()
  const deeds = useDeadLetterDeeds()
  const [asking, setAsking] = useState<'discard' | 'purge' | 'release'>()
  const close = () => {
    setAsking(undefined)
  }
  const sending = letter.replaying === true ? 'It is being sent again: wait for that, or cancel the replay.' : undefined
  const discarded = letter.discarded !== undefined
  return (
    <>
      <ActionButton
        action="replay.start"
        look="primary"
        why={discarded ? 'What was discarded is never sent again.' : sending}
        onClick={() => void navigate({ to: '/replay/new', search: { scope: 'ids', ids: id } })}
      >
        Replay …
      </ActionButton>
      <ActionButton action="dead-letter.release" why={letter.holdsKey === true ? undefined : 'It holds no key.'} onClick={() => { setAsking('release') }}>
        Release its key …
      </ActionButton>
      <ActionButton action="dead-letter.discard" why={discarded ? 'It was discarded already.' : sending} onClick={() => { setAsking('discard') }}>
        Discard …
      </ActionButton>
      <ActionButton action="dead-letter.purge" why={sending} onClick={() => { setAsking('purge') }}>
        Purge …
      </ActionButton>
      {(asking === 'discard' || asking === 'purge') && <GiveUpDialog verb={asking} chosen={{ id: Number(id) }} about={`dead letter ${id}`} onClose={close} />}
      <ConfirmDialog
        open={asking === 'release'}
        onClose={close}
        title="Release its key"
        verb="Release the key"
        reason="none"
        onConfirm={async () => {
          await deeds.release(id)
          toast('The later events of its key go on.')
        }}
      >
        <p className="wrap">
          The later events of the key <code>{letter.key}</code> go on without this one. The dead letter stays: if it is replayed later, the subscriber gets it after
          those.
        </p>
      </ConfirmDialog>
    </>
  )
}

function Detail({ letter }: { letter: DeadLetterDetail }) {
  return (
    <div className="stack">
      <Section title="Why">
        <div className="stack">
          <p className="wrap">
            <Badge tone="bad">{letter.errorClass ?? 'unknown'}</Badge> <span className="mono">{letter.errorMessage}</span>
          </p>
          <Facts>
            <Fact name="Subscription">
              <SubscriptionLink name={letter.subscriberId} />
            </Fact>
            <Fact name="First failed">
              <Time at={letter.firstFailedAt} show="both" />
            </Fact>
            <Fact name="Last failed">
              <Time at={letter.lastFailedAt} show="both" />
            </Fact>
            <Fact name="Attempts">{count(letter.attempts ?? 0)}</Fact>
            <Fact name="Replayed in vain">{count(letter.replays ?? 0)} times</Fact>
            <Fact name="Same cause">
              <Link to="/dead-letters" search={{ q: groupText(letter), view: 'list' }}>
                All of its group
              </Link>
            </Fact>
            {letter.replay !== undefined && (
              <Fact name="Being sent again by">
                <Link to="/replay/$id" params={{ id: String(letter.replay) }}>
                  replay {letter.replay}
                </Link>
              </Fact>
            )}
            {letter.discarded !== undefined && (
              <Fact name="Discarded">
                <Time at={letter.discarded.at} show="both" /> by {letter.discarded.by}: {letter.discarded.reason}
              </Fact>
            )}
          </Facts>
        </div>
      </Section>
      <Attempts made={letter.made ?? []} attempts={letter.attempts ?? 0} />
      <Section title="Event">
        <Facts>
          <Fact name="Type">{letter.type}</Fact>
          <Fact name="Source">{letter.source}</Fact>
          <Fact name="Id">
            <EventLink id={letter.messageId}>{letter.sourceId ?? letter.messageId}</EventLink> <CopyButton text={letter.messageId ?? ''} label="Copy the UUID" />
          </Fact>
          <Fact name="Key">{letter.key ?? '–'}</Fact>
          {letter.aggregateType !== undefined && <Fact name="Aggregate type">{letter.aggregateType}</Fact>}
          <Fact name="Version">{letter.version ?? '–'}</Fact>
          <Fact name="Content type">{letter.contentType ?? '–'}</Fact>
          <Fact name="Occurred">
            <Time at={letter.occurredAt} />
          </Fact>
          <Fact name="Recorded">
            <Time at={letter.recordedAt} />
          </Fact>
          {letter.deliverAt !== undefined && (
            <Fact name="To be delivered at">
              <Time at={letter.deliverAt} />
            </Fact>
          )}
        </Facts>
      </Section>
      <Section title="Payload">
        <Payload of={letter} />
      </Section>
      <Section title="Headers">
        {Object.keys(letter.headers ?? {}).length === 0 ? (
          <p className="muted">It has none.</p>
        ) : (
          <Facts>
            {Object.entries(letter.headers ?? {}).map(([name, value]) => (
              <Fact key={name} name={name}>
                <span className="mono">{value}</span>
              </Fact>
            ))}
          </Facts>
        )}
      </Section>
    </div>
  )
}
