import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useDeadLetterCount, useDeadLetters, type ChosenLetters, type DeadLetter, type DeadLetterFilter } from '~/api/deadLetters'
import { ActionButton, Button } from '~/components/Button'
import { PagedTable, type Column } from '~/components/DataTable'
import { Empty } from '~/components/states'
import { Badge } from '~/components/Status'
import { Time } from '~/components/Time'
import { count } from '~/lib/format'
import { GiveUpDialog } from './GiveUpDialog'

const columns: Column<DeadLetter>[] = [
  { name: 'Failed', width: '115px', cell: (row) => <Time at={row.lastFailedAt} show="age" focusable={false} /> },
  {
    name: 'State',
    width: '125px',
    cell: (row) =>
      row.discarded !== undefined ? (
        <Badge tone="off" tip={`By ${row.discarded.by ?? ''}: ${row.discarded.reason ?? ''}`}>
          discarded
        </Badge>
      ) : row.holdsKey === true ? (
        <Badge tone="warn" tip="Later events of its key wait for it.">
          holds its key
        </Badge>
      ) : (
        <Badge tone="bad">open</Badge>
      ),
  },
  { name: 'Subscription', width: 'minmax(110px, 1fr)', cell: (row) => row.subscriberId },
  { name: 'Type', width: 'minmax(120px, 1fr)', cell: (row) => row.type },
  {
    name: 'Error',
    width: 'minmax(220px, 3fr)',
    cell: (row) => (
      <span data-tip={row.errorMessage}>
        <strong>{row.errorClass}</strong> {row.errorMessage}
      </span>
    ),
  },
  { name: 'Key', width: 'minmax(80px, 0.7fr)', cell: (row) => row.key ?? <span className="muted">–</span> },
  { name: 'Tries', width: '60px', align: 'end', cell: (row) => count(row.attempts ?? 0) },
  { name: 'Event', width: 'minmax(110px, 1fr)', cell: (row) => <code>{row.sourceId ?? row.messageId}</code> },
]

/** What a replay's address may hold. More are chosen by a filter. */
const mostInAddress = 500
/** As many ids as the API takes at a time. */
const mostIds = 10_000

export function Letters({ q, filter }: { q: string; filter: DeadLetterFilter }) {
  const navigate = useNavigate()
  const letters = useDeadLetters(filter)
  const [all, setAll] = useState(false)
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [giving, setGiving] = useState<'discard' | 'purge'>()
  const shown = letters.rows.map((row) => String(row.id))
  const chosen = all ? new Set(shown) : picked
  const some = all || picked.size > 0

  const what: ChosenLetters = all ? { filter } : { ids: [...picked].map(Number) }
  const about = all ? 'all that match the filter' : `the ${count(picked.size)} chosen`
  const nothing = some ? undefined : 'Choose some first: with Space, with their boxes, or all that match.'
  const tooMany = !all && picked.size > mostIds ? `At most ${count(mostIds)} are chosen one by one; filter, and choose all that match.` : undefined
  const clear = () => {
    setAll(false)
    setPicked(new Set())
  }
  const discardedOnly = filter.discarded === 'yes'

  return (
    <>
      <div className="letters-bar" role="group" aria-label="What is chosen, and what to do with it">
        <p role="status">
          {all ? <strong><AllCount filter={filter} /></strong> : picked.size > 0 ? <strong>{count(picked.size)} chosen</strong> : <span className="muted">None chosen</span>}
        </p>
        <Button
          look="quiet"
          why={shown.length === 0 ? 'None are shown.' : undefined}
          onClick={() => {
            setAll(false)
            setPicked(new Set(shown))
          }}
        >
          Choose the {count(shown.length)} shown
        </Button>
        <Button
          look="quiet"
          why={shown.length === 0 ? 'None are shown.' : undefined}
          aria-pressed={all}
          onClick={() => {
            setAll(true)
          }}
        >
          Choose all that match
        </Button>
        {some && (
          <Button look="quiet" onClick={clear}>
            Choose none
          </Button>
        )}
        <span className="letters-gap" />
        <ActionButton
          action="replay.start"
          look="primary"
          why={
            nothing ??
            (discardedOnly
              ? 'What was discarded is never sent again.'
              : !all && picked.size > mostInAddress
                ? `Up to ${count(mostInAddress)} are replayed one by one; filter, and choose all that match.`
                : undefined)
          }
          onClick={() => void navigate({ to: '/replay/new', search: all ? { scope: 'letters', q } : { scope: 'ids', ids: [...picked].join(',') } })}
        >
          Replay …
        </ActionButton>
        <ActionButton action="dead-letter.discard" why={nothing ?? tooMany ?? (discardedOnly ? 'They were discarded already.' : undefined)} onClick={() => { setGiving('discard') }}>
          Discard …
        </ActionButton>
        <ActionButton action="dead-letter.purge" why={nothing ?? tooMany} onClick={() => { setGiving('purge') }}>
          Purge …
        </ActionButton>
      </div>
      <PagedTable
        label="Dead letters"
        columns={columns}
        pages={letters}
        rowKey={(row) => String(row.id)}
        onOpen={(row) => void navigate({ to: '/dead-letters/$id', params: { id: String(row.id) } })}
        selection={{
          chosen,
          toggle: (key) => {
            const next = new Set(chosen)
            if (!next.delete(key)) {
              next.add(key)
            }
            setAll(false)
            setPicked(next)
          },
          rowLabel: (row) => `Choose dead letter ${row.id ?? ''}, ${row.type ?? ''}`,
        }}
        empty={
          <Empty title={q === '' ? 'No dead letters.' : 'No dead letter matches.'}>
            <p>{q === '' ? 'Everything that was recorded was delivered, or is still being tried.' : 'It may have been delivered meanwhile. Take something out of the filter to find more.'}</p>
          </Empty>
        }
      />
      {giving && (
        <GiveUpDialog
          verb={giving}
          chosen={what}
          about={about}
          onClose={() => {
            setGiving(undefined)
          }}
          onDone={clear}
        />
      )}
    </>
  )
}

function AllCount({ filter }: { filter: DeadLetterFilter }) {
  const { data } = useDeadLetterCount(filter)
  return data?.value === undefined ? 'All that match chosen' : `All ${data.exact === false ? 'more than ' : ''}${count(data.value)} that match chosen`
}
