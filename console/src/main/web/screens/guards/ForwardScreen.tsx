import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useDecide, useForward, type Decision, type Forward } from '~/api/guards'
import { ActionButton } from '~/components/Button'
import { ConfirmDialog } from '~/components/ConfirmDialog'
import { Fact, Facts, Page, Section } from '~/components/Page'
import { Loaded } from '~/components/states'
import { Status } from '~/components/Status'
import { Time } from '~/components/Time'
import { toast } from '~/components/Toasts'
import { count } from '~/lib/format'
import './guards.css'

const route = getRouteApi('/guards/$name/$eventId')

const decisions: { is: Decision; verb: string; about: string; then: string }[] = [
  {
    is: 'ARRIVED',
    verb: 'It arrived',
    about: 'The target has acted on it. It counts as forwarded: whoever brings it again is told so, and a replay of its dead letter is delivered without asking the target.',
    then: 'It counts as forwarded.',
  },
  {
    is: 'REPEAT',
    verb: 'Send it again',
    about: 'The target does not have it. It is forwarded when it comes again, by a request or by a replay of its dead letter. If the target has it after all, it acts twice.',
    then: 'It is forwarded when it comes again.',
  },
  { is: 'ABANDON', verb: 'Abandon it', about: 'It is never forwarded, whether it arrived or not.', then: 'It is never forwarded.' },
]

export function ForwardScreen() {
  const { name, eventId } = route.useParams()
  const { source } = route.useSearch()
  const forward = useForward(name, eventId, source)
  return (
    <Page
      title={forward.data?.id ?? eventId}
      beside={forward.data && <Status of={forward.data.state} />}
      about={
        <>
          An event at the guard{' '}
          <Link to="/guards/$name" params={{ name }}>
            {name}
          </Link>
        </>
      }
    >
      <Loaded query={forward}>
        {(found) => (
          <>
            <Decide name={name} eventId={eventId} source={source} forward={found} />
            <Known of={found} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Known({ of }: { of: Forward }) {
  return (
    <Section title="What is known">
      <div className="stack">
        <Facts>
          <Fact name="Type">{of.type ?? '–'}</Fact>
          <Fact name="Source">{of.source ?? '–'}</Fact>
          <Fact name="UUID">{of.eventId ?? '–'}</Fact>
          <Fact name="Begun">
            <Time at={of.begunAt} show="both" />
          </Fact>
          <Fact name="Changed">
            <Time at={of.changedAt} show="both" />
          </Fact>
          <Fact name="Attempt">{count(of.attempt ?? 0)}</Fact>
          <Fact name="Instance">{of.instance ?? '–'}</Fact>
          <Fact name="The target’s status">{of.status ?? 'none came'}</Fact>
          <Fact name="Why">
            {of.errorClass !== undefined && <strong>{of.errorClass} </strong>}
            {of.reason ?? '–'}
          </Fact>
          {of.decision !== undefined && (
            <Fact name="Decided">
              {of.decision.decision} by {of.decision.by}, <Time at={of.decision.at} show="both" />: {of.decision.reason}
            </Fact>
          )}
        </Facts>
        {of.reply !== undefined && of.reply !== '' && (
          <>
            <h3>The target’s reply</h3>
            <pre className="guard-reply">{of.reply}</pre>
          </>
        )}
      </div>
    </Section>
  )
}

function Decide({ name, eventId, source, forward }: { name: string; eventId: string; source: string | undefined; forward: Forward }) {
  const decide = useDecide()
  const [asking, setAsking] = useState<Decision>()
  const { state } = forward
  const barred = (decision: Decision) =>
    state === 'IN_DOUBT' || (state === 'REFUSED' && decision === 'REPEAT')
      ? undefined
      : state === 'REFUSED'
        ? 'The target refused it: nothing is in doubt. It can only be sent again.'
        : 'Nothing is in doubt here.'
  const open = decisions.find((decision) => decision.is === asking)
  return (
    <Section title="The decision">
      <div className="stack">
        {state === 'IN_DOUBT' ? (
          <p>
            The request has left, and no whole answer came. <strong>Look into the target whether it has acted on this id</strong>, then say so, and how you know.
          </p>
        ) : (
          <p className="muted">{state === 'REFUSED' ? 'The target refused it. Once the cause is removed it can be sent again.' : 'There is nothing to decide.'}</p>
        )}
        <ul className="decisions">
          {decisions.map((decision) => (
            <li key={decision.is} className="decision">
              <ActionButton action="guard.decide" why={barred(decision.is)} onClick={() => { setAsking(decision.is) }}>
                {decision.verb} …
              </ActionButton>
              <p>{decision.about}</p>
            </li>
          ))}
        </ul>
      </div>
      {open && (
        <ConfirmDialog
          open
          danger={open.is === 'ABANDON'}
          onClose={() => {
            setAsking(undefined)
          }}
          title={`${open.verb}: ${forward.id ?? eventId}`}
          verb={open.verb}
          reason="required"
          onConfirm={async (reason) => {
            await decide(name, eventId, source, open.is, reason)
            toast(open.then)
          }}
        >
          <p>{open.about}</p>
          <p className="muted">Give as the reason how you know. A decision cannot be taken back.</p>
        </ConfirmDialog>
      )}
    </Section>
  )
}
