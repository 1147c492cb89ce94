import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useDeadLetterDeeds, useDeadLetterGroups, type ChosenLetters, type DeadLetterGroup } from '~/api/deadLetters'
import { ActionButton, Button } from '~/components/Button'
import { Dialog } from '~/components/Dialog'
import { Field } from '~/components/Field'
import { Fact, Facts, Section } from '~/components/Page'
import { Loaded, ProblemNote } from '~/components/states'
import { Time } from '~/components/Time'
import { toast } from '~/components/Toasts'
import { groupText, type GroupName } from '~/lib/deadLetterFilter'
import { count } from '~/lib/format'
import { GiveUpDialog } from './GiveUpDialog'
import { Trend } from './Groups'
import { NoteText } from './NoteText'

/** What is known of the group that the filter names, and what is done with all of it. */
export function GroupPanel({ group }: { group: GroupName }) {
  const groups = useDeadLetterGroups({ ...group })
  return (
    <Loaded query={groups} what="Looking at the group">
      {({ items = [] }) => {
        const found = items[0]
        return found === undefined ? null : <Panel name={group} group={found} />
      }}
    </Loaded>
  )
}

function Panel({ name, group }: { name: GroupName; group: DeadLetterGroup }) {
  const navigate = useNavigate()
  const [noting, setNoting] = useState(false)
  const [giving, setGiving] = useState<'discard' | 'purge'>()
  const chosen: ChosenLetters = { group: name }
  return (
    <Section
      title={`${count(group.count ?? 0)} with this cause`}
      actions={
        <div className="row">
          <ActionButton action="replay.start" look="primary" onClick={() => void navigate({ to: '/replay/new', search: { scope: 'letters', q: groupText(name) } })}>
            Replay all …
          </ActionButton>
          <ActionButton action="dead-letter.note" onClick={() => { setNoting(true) }}>
            {group.note === undefined ? 'Write a note' : 'Change the note'}
          </ActionButton>
          <ActionButton action="dead-letter.discard" onClick={() => { setGiving('discard') }}>
            Discard all …
          </ActionButton>
          <ActionButton action="dead-letter.purge" onClick={() => { setGiving('purge') }}>
            Purge all …
          </ActionButton>
        </div>
      }
    >
      <div className="stack">
        <p className="mono wrap">{group.sampleMessage}</p>
        <Facts>
          <Fact name="Sample">
            {group.sampleId === undefined ? '–' : (
              <Link to="/dead-letters/$id" params={{ id: String(group.sampleId) }}>
                dead letter {group.sampleId}
              </Link>
            )}
          </Fact>
          <Fact name="First seen">
            <Time at={group.firstSeen} show="both" />
          </Fact>
          <Fact name="Last seen">
            <Time at={group.lastSeen} show="both" />
          </Fact>
          <Fact name="Types">{group.types?.join(', ')}</Fact>
          <Fact name="Last 24 hours">
            <Trend of={group.trend} />
          </Fact>
          <Fact name="Note">
            {group.note === undefined ? (
              <span className="muted">none yet: say here who looks into it, with the ticket’s address</span>
            ) : (
              <>
                <NoteText text={group.note.text ?? ''} />{' '}
                <span className="muted">
                  ({group.note.by}, <Time at={group.note.at} show="age" />)
                </span>
              </>
            )}
          </Fact>
        </Facts>
      </div>
      {noting && <NoteDialog name={name} note={group.note?.text} onClose={() => { setNoting(false) }} />}
      {giving && <GiveUpDialog verb={giving} chosen={chosen} about="the whole group" onClose={() => { setGiving(undefined) }} />}
    </Section>
  )
}

function NoteDialog({ name, note = '', onClose }: { name: GroupName; note: string | undefined; onClose: () => void }) {
  const deeds = useDeadLetterDeeds()
  const [text, setText] = useState(note)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const save = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await deeds.note(name, text.trim() === '' ? undefined : text.trim())
      toast(text.trim() === '' ? 'The note is gone.' : 'The note is kept.')
      onClose()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  const wait = busy ? 'It is being kept.' : undefined
  return (
    <Dialog
      open
      onClose={onClose}
      title="Note about this cause"
      actions={
        <>
          <Button onClick={onClose} why={wait}>
            Cancel
          </Button>
          <Button look="primary" why={wait} onClick={() => void save()}>
            {text.trim() === '' && note !== '' ? 'Take the note away' : 'Keep the note'}
          </Button>
        </>
      }
    >
      <Field label="Note" hint="Who looks into it, and the ticket: an address that begins with https:// becomes a link. The note stays when the letters are gone, for when they come back.">
        {(ties) => (
          <textarea
            {...ties}
            rows={4}
            maxLength={2000}
            value={text}
            onChange={(event) => {
              setText(event.target.value)
            }}
          />
        )}
      </Field>
      {error !== undefined && <ProblemNote error={error} />}
    </Dialog>
  )
}
