import type { EventDetail, SubscriptionItem } from '~/api/events'
import { Badge, Shape, Status } from '~/components/Status'
import { ScreenLink } from '~/components/ScreenLink'
import { Empty } from '~/components/states'
import { Time } from '~/components/Time'
import { useNow } from '~/lib/clock'
import { count, duration } from '~/lib/format'
import { beginning, byTrouble, chapters, lastEnd, marks, type Chapter } from './story'

/** More subscriptions than this are opened one by one. */
const openAtOnce = 6

/** From the commit to each subscription's attempts. */
export function Story({ event }: { event: EventDetail }) {
  const now = useNow()
  const items = byTrouble(event.subscriptions ?? [])
  const from = Date.parse(event.recordedAt ?? '')
  const to = lastEnd(items)
  return (
    <div className="stack">
      <ol className="events-story">
        {beginning(event, now).map((chapter, index) => (
          <Line key={index} chapter={chapter} from={from} />
        ))}
      </ol>
      {items.length === 0 ? (
        <Empty title="No subscription wants it.">
          <p>It was recorded, and is kept as long as the log keeps events. A subscription whose filter it meets can have it by a replay.</p>
        </Empty>
      ) : (
        items.map((item) => <Part key={`${item.subscription ?? ''}\0${item.deletedAt ?? ''}`} item={item} from={from} to={to} open={items.length <= openAtOnce || item.status === 'FAILED'} />)
      )}
    </div>
  )
}

function Part({ item, from, to, open }: { item: SubscriptionItem; from: number; to: number | undefined; open: boolean }) {
  const made = item.made ?? []
  return (
    <details className="events-part" open={open}>
      <summary>
        <span className="events-part-name wrap">{item.subscription}</span>
        <Status of={item.status} />
        {item.deletedAt !== undefined && <Badge tone="off">deleted since</Badge>}
        <span className="muted">{attemptsInWords(item)}</span>
        {to !== undefined && made.length > 0 && <Strip item={item} from={from} to={to} />}
      </summary>
      {/* Not in the summary: what opens and closes holds no link. */}
      {item.deletedAt === undefined && (
        <p className="events-part-place">
          <ScreenLink to="/subscriptions/$name" params={{ name: item.subscription ?? '' }}>To the subscription</ScreenLink>
        </p>
      )}
      <ol className="events-story">
        {chapters(item).map((chapter, index) => (
          <Line key={index} chapter={chapter} from={from} />
        ))}
      </ol>
    </details>
  )
}

function attemptsInWords({ attempts = 0 }: SubscriptionItem): string {
  return attempts === 0 ? 'not tried yet' : attempts === 1 ? 'one attempt' : `${count(attempts)} attempts`
}

/** When the attempts were, along the time that all subscriptions took together. The list below says the same in words. */
function Strip({ item, from, to }: { item: SubscriptionItem; from: number; to: number }) {
  return (
    <svg className="events-strip" viewBox="0 0 1000 12" preserveAspectRatio="none" aria-hidden="true">
      <rect className="events-strip-all" y="5" width="1000" height="2" />
      {marks(item, from, to).map((mark, index) => (
        <rect key={index} className={`tone-${mark.tone}`} x={mark.from} width={mark.width} height="12" />
      ))}
    </svg>
  )
}

function Line({ chapter, from }: { chapter: Chapter; from: number }) {
  const { at, tone, what, detail, attempt, ahead = false } = chapter
  const since = at === undefined ? 0 : Date.parse(at) - from
  return (
    <li className={`events-chapter${ahead ? ' events-ahead' : ''}`}>
      <span className="events-chapter-mark">
        <Shape tone={tone} />
      </span>
      <span className="events-chapter-time">
        {at === undefined ? <span className="muted">–</span> : <Time at={at} />}
        {since > 0 && !ahead && <span className="muted">+{duration(since)}</span>}
        {ahead && at !== undefined && (
          <span className="muted">
            <Time at={at} show="age" />
          </span>
        )}
      </span>
      <div className="events-chapter-text">
        <p>
          <strong>{what}</strong>
          {attempt?.tookMillis !== undefined && <span className="muted"> · took {duration(attempt.tookMillis)}</span>}
          {attempt?.replyCode !== undefined && <span className="muted"> · answered {attempt.replyCode}</span>}
        </p>
        {detail !== undefined && <p className="muted">{detail}</p>}
        {attempt !== undefined && <AttemptLines attempt={attempt} />}
      </div>
    </li>
  )
}

function AttemptLines({ attempt }: { attempt: NonNullable<Chapter['attempt']> }) {
  return (
    <>
      {attempt.errorClass !== undefined && (
        <p className="wrap">
          <code>{attempt.errorClass}</code>
          {attempt.message !== undefined && `: ${attempt.message}`}
        </p>
      )}
      {attempt.errorClass === undefined && attempt.message !== undefined && <p className="wrap">{attempt.message}</p>}
      {attempt.reply !== undefined && attempt.reply !== '' && (
        <details className="events-reply">
          <summary>What it answered</summary>
          <pre className="events-raw">{attempt.reply}</pre>
        </details>
      )}
      {attempt.instance !== undefined && <p className="muted events-by">by {attempt.instance}</p>}
    </>
  )
}
