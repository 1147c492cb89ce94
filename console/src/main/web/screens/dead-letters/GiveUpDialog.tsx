import { useDeadLetterDeeds, useGiveUpCount, type ChosenLetters } from '~/api/deadLetters'
import { ConfirmDialog } from '~/components/ConfirmDialog'
import { Loaded } from '~/components/states'
import { toast } from '~/components/Toasts'
import { count } from '~/lib/format'

interface GiveUpDialogProps {
  verb: 'discard' | 'purge'
  chosen: ChosenLetters
  /** What was chosen, in words: "all that match the filter". */
  about: string
  onClose: () => void
  onDone?: () => void
}

const letters = (some: number) => `${count(some)} dead ${some === 1 ? 'letter' : 'letters'}`

/** Counts first what it would be, exactly; then asks for the reason. */
export function GiveUpDialog({ verb, chosen, about, onClose, onDone }: GiveUpDialogProps) {
  const deeds = useDeadLetterDeeds()
  const counted = useGiveUpCount(verb, chosen, true)
  const asked = counted.data?.asked
  const name = verb === 'discard' ? 'Discard' : 'Purge'
  const done = verb === 'discard' ? 'discarded' : 'purged'
  return (
    <ConfirmDialog
      open
      danger
      onClose={onClose}
      title={`${name} ${about}`}
      verb={asked === undefined ? name : `${name} ${letters(asked)}`}
      reason="required"
      why={asked === undefined ? (counted.error === null ? 'They are still being counted.' : 'It cannot be done: see above.') : asked === 0 ? 'There is nothing to do.' : undefined}
      onConfirm={async (reason) => {
        const given = await deeds.giveUp(verb, chosen, reason)
        toast(
          given.done >= given.asked
            ? `${letters(given.done)} ${done}.`
            : `${count(given.done)} of ${letters(given.asked)} ${done} so far; the relays go on with the others.`,
        )
        onDone?.()
      }}
    >
      <Loaded query={counted} what="Counting">
        {({ matching, asked: some, replaying, alreadyAsked }) => (
          <>
            <p>
              <strong>{letters(some)}</strong> will be {done}
              {matching > some && ` of ${count(matching)} that match`}.{' '}
              {verb === 'discard'
                ? 'A discarded dead letter is never delivered; it stays as the record of who discarded it and why.'
                : 'Nothing is left of a purged dead letter but the audit, which names it: no payload, no error, no attempts. Its event is never delivered to that subscription.'}{' '}
              This cannot be taken back. Keys that were held go on.
            </p>
            {replaying > 0 && <p>{letters(replaying)} left out: being sent again at this moment, and perhaps delivered.</p>}
            {alreadyAsked > 0 && <p>{letters(alreadyAsked)} left out: somebody has asked for it already.</p>}
          </>
        )}
      </Loaded>
    </ConfirmDialog>
  )
}
