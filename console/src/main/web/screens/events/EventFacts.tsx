import { Link } from '@tanstack/react-router'
import type { EventDetail } from '~/api/events'
import { CopyButton } from '~/components/CopyButton'
import { Fact, Facts, Section } from '~/components/Page'
import { Time } from '~/components/Time'
import { writeTerm } from '~/lib/filter'
import { TraceFact } from './TraceFact'
import { traceId } from './traceLink'

export function EventFacts({ event }: { event: EventDetail }) {
  const trace = traceId(event.headers)
  return (
    <Section title="Event">
      <Facts>
        <Fact name="Id">
          <code>{event.id}</code> <CopyButton text={event.id ?? ''} />
        </Fact>
        {event.sourceId !== undefined && (
          <Fact name="Id as it was published">
            <code>{event.sourceId}</code> <CopyButton text={event.sourceId} />
          </Fact>
        )}
        <Fact name="Type">
          <Search name="type" value={event.type} />
          {(event.version ?? 0) > 0 && <span className="muted"> version {event.version}</span>}
        </Fact>
        <Fact name="Source">
          <Search name="source" value={event.source} />
        </Fact>
        <Fact name="Key">{event.key === undefined ? <span className="muted">none: no order to keep</span> : <Search name="key" value={event.key} />}</Fact>
        {event.aggregateType !== undefined && <Fact name="Aggregate type">{event.aggregateType}</Fact>}
        <Fact name="Recorded">
          <Time at={event.recordedAt} show="both" />
        </Fact>
        <Fact name="Content type">{event.contentType}</Fact>
        {trace !== undefined && (
          <Fact name="Trace">
            <TraceFact id={trace} />
          </Fact>
        )}
      </Facts>
    </Section>
  )
}

/** A value, and all other events that have it. */
function Search({ name, value }: { name: string; value: string | undefined }) {
  return value === undefined ? (
    <span className="muted">–</span>
  ) : (
    <Link to="/events" search={{ q: writeTerm(name, value) }} data-tip={`Events with this ${name}`}>
      {value}
    </Link>
  )
}
