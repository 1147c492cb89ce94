import type { Attempt } from '~/api/deadLetters'
import { Section } from '~/components/Page'
import { Badge, type Tone } from '~/components/Status'
import { Time } from '~/components/Time'
import { count, duration } from '~/lib/format'

const outcomes: Record<string, { tone: Tone; words: string }> = {
  DELIVERED: { tone: 'ok', words: 'delivered' },
  RETRY: { tone: 'warn', words: 'to be tried again' },
  REJECT: { tone: 'bad', words: 'rejected' },
  UNAVAILABLE: { tone: 'warn', words: 'not available' },
}

/** Every attempt of which a record is kept, the first at the top: a list to be read, not a table to be sorted. */
export function Attempts({ made, attempts }: { made: Attempt[]; attempts: number }) {
  return (
    <Section title={`Attempts (${count(attempts)})`}>
      {made.length === 0 ? (
        <p className="muted">No record of them is kept.</p>
      ) : (
        <ol className="attempts">
          {made.map((attempt, index) => {
            const outcome = outcomes[attempt.outcome ?? ''] ?? { tone: 'idle' as const, words: attempt.outcome ?? 'unknown' }
            return (
              <li key={index} className="attempt">
                <div className="row">
                  <strong>{attempt.number === undefined ? '–' : `No. ${attempt.number}`}</strong>
                  <Badge tone={outcome.tone}>{outcome.words}</Badge>
                  <Time at={attempt.startedAt} show="both" />
                  <span className="muted">
                    {attempt.tookMillis !== undefined && `took ${duration(attempt.tookMillis)}`}
                    {attempt.replyCode !== undefined && ` · answered ${attempt.replyCode}`}
                    {attempt.errorClass !== undefined && ` · ${attempt.errorClass}`}
                    {attempt.instance !== undefined && ` · from ${attempt.instance}`}
                  </span>
                </div>
                {attempt.message !== undefined && <p className="mono wrap">{attempt.message}</p>}
                {attempt.reply !== undefined && attempt.reply !== '' && (
                  <details>
                    <summary>The reply</summary>
                    <pre className="attempt-reply">{attempt.reply}</pre>
                  </details>
                )}
              </li>
            )
          })}
        </ol>
      )}
      {made.length > 0 && made.length < attempts && <p className="muted">Of the others no record is kept.</p>}
    </Section>
  )
}
