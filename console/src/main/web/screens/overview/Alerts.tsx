import type { Alert } from '~/api/overview'
import { Section } from '~/components/Page'
import { ScreenLink, SubscriptionLink } from '~/components/ScreenLink'
import { Badge, Shape, type Tone } from '~/components/Status'
import { Time } from '~/components/Time'
import { count } from '~/lib/format'

const tones: Record<string, Tone> = { page: 'bad', critical: 'bad', warning: 'warn' }

/** What somebody should see to, the most severe first. */
export function Alerts({ alerts, more }: { alerts: Alert[]; more: number }) {
  if (alerts.length === 0) {
    return (
      <p className="overview-calm" role="status">
        <Shape tone="ok" /> No alert is open.
      </p>
    )
  }
  return (
    <Section title={`Open alerts (${count(alerts.length + more)})`} flush>
      <ul className="overview-alerts">
        {alerts.map((alert) => (
          <li key={`${alert.name ?? ''}\0${alert.subscription ?? ''}\0${alert.guard ?? ''}`} className="overview-alert">
            <Badge tone={tones[alert.severity ?? ''] ?? 'warn'} tip={alert.name}>
              {alert.severity}
            </Badge>
            <div className="overview-alert-text">
              <p className="wrap">{alert.summary}</p>
              <p className="muted wrap">{alert.remedy}</p>
            </div>
            <p className="overview-alert-place">
              <Place alert={alert} />
              <span className="muted">
                since <Time at={alert.since} show="age" />
              </span>
            </p>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="overview-more muted">{count(more)} more are open. The subscriptions below stand by trouble.</p>}
    </Section>
  )
}

function Place({ alert }: { alert: Alert }) {
  if (alert.guard !== undefined) {
    return (
      <ScreenLink to="/guards" className="wrap">
        guard {alert.guard}
      </ScreenLink>
    )
  }
  return alert.subscription === undefined ? null : <SubscriptionLink name={alert.subscription} />
}
