import { useDeadLetterGroups, type DeadLetterFilter, type DeadLetterGroup } from '~/api/deadLetters'
import { DataTable, type Column } from '~/components/DataTable'
import { Sparkline } from '~/components/Sparkline'
import { Empty, Loaded } from '~/components/states'
import { Badge } from '~/components/Status'
import { Time } from '~/components/Time'
import { groupText } from '~/lib/deadLetterFilter'
import { count } from '~/lib/format'
import { NoteText } from './NoteText'

const columns: Column<DeadLetterGroup>[] = [
  { name: 'Count', width: '80px', align: 'end', cell: (row) => <span className="group-count">{count(row.count ?? 0)}</span> },
  {
    name: 'Cause',
    width: 'minmax(300px, 3fr)',
    cell: (row) => (
      <div className="group-lines">
        <span className="cut" data-tip={row.cause}>
          {row.cause ?? row.errorClass}
        </span>
        <span className="cut muted small">
          <Badge tone="bad">{row.errorClass ?? 'unknown'}</Badge> {row.sampleMessage !== row.cause && row.sampleMessage}
        </span>
      </div>
    ),
  },
  {
    name: 'Subscription, types',
    width: 'minmax(170px, 1fr)',
    cell: (row) => (
      <div className="group-lines">
        <span className="cut">{row.subscriberId}</span>
        <span className="cut muted small" data-tip={row.types?.join(', ')}>
          {row.types?.join(', ')}
        </span>
      </div>
    ),
  },
  { name: 'Last 24 hours', width: '140px', cell: (row) => <Trend of={row.trend} /> },
  {
    name: 'Last, first seen',
    width: '150px',
    cell: (row) => (
      <div className="group-lines">
        <Time at={row.lastSeen} show="age" focusable={false} />
        <span className="muted small">
          since <Time at={row.firstSeen} show="age" focusable={false} />
        </span>
      </div>
    ),
  },
  {
    name: 'Note',
    width: 'minmax(140px, 1.2fr)',
    cell: (row) =>
      row.note === undefined ? (
        <span className="muted">–</span>
      ) : (
        <div className="group-lines">
          <span className="cut" data-tip={row.note.text}>
            <NoteText text={row.note.text ?? ''} />
          </span>
          <span className="cut muted small">
            {row.note.by}, <Time at={row.note.at} show="age" focusable={false} />
          </span>
        </div>
      ),
  },
]

export function Trend({ of }: { of: number[] | undefined }) {
  if (of === undefined) {
    return <span className="muted">–</span>
  }
  const total = of.reduce((sum, hour) => sum + hour, 0)
  const label = `Last failed by hour, over the last day: ${count(total)}; in the last hour ${count(of.at(-1) ?? 0)}, at most ${count(Math.max(...of, 0))}`
  return (
    <span data-tip={label}>
      <Sparkline values={of} label={label} />
    </span>
  )
}

interface GroupsProps {
  filter: DeadLetterFilter
  filtered: boolean
  /** Called with the filter that finds the group. */
  onOpen: (text: string) => void
}

export function Groups({ filter, filtered, onOpen }: GroupsProps) {
  const groups = useDeadLetterGroups(filter)
  return (
    <Loaded query={groups}>
      {({ items = [], complete }) => {
        const total = items.reduce((sum, group) => sum + (group.count ?? 0), 0)
        return items.length === 0 ? (
          filtered ? (
            <Empty title="No dead letter matches.">
              <p>Take something out of the filter to find more.</p>
            </Empty>
          ) : (
            <Empty title="No dead letters.">
              <p>Everything that was recorded was delivered, or is still being tried.</p>
            </Empty>
          )
        ) : (
          <DataTable
            label="Dead letters by cause"
            columns={columns}
            rows={items}
            rowKey={(row) => groupText(row)}
            rowHeight={60}
            onOpen={(row) => {
              onOpen(groupText(row))
            }}
            footer={
              complete === false
                ? `${count(total)} dead letters with ${count(items.length)} causes, among the newest; there are more than were looked at. Name a subscription or a time to see all.`
                : `${count(total)} dead letters with ${count(items.length)} ${items.length === 1 ? 'cause' : 'causes'}. Enter opens one.`
            }
          />
        )
      }}
    </Loaded>
  )
}
