import type { HubLine } from '~/api/overview'
import { Section } from '~/components/Page'
import { Empty } from '~/components/states'
import { Badge } from '~/components/Status'
import { Time } from '~/components/Time'
import { count, percent } from '~/lib/format'

/** The processes that deliver, hubs and applications, and how the lanes are shared among them. */
export function Hubs({ hubs }: { hubs: HubLine[] }) {
  const all = hubs.reduce((sum, hub) => sum + (hub.lanes ?? 0), 0)
  return (
    <Section title="Hubs and applications that deliver" flush>
      {hubs.length === 0 ? (
        <Empty title="Nobody delivers.">
          <p>Events are recorded and kept. Start a hub that delivers, or an application that serves its subscriptions.</p>
        </Empty>
      ) : (
        <div className="overview-scroll">
          <table className="overview-hubs">
            <thead>
              <tr>
                <th scope="col">Instance</th>
                <th scope="col">State</th>
                <th scope="col">Share of the lanes</th>
                <th scope="col" className="number">Lanes</th>
                <th scope="col" className="number">Subscriptions</th>
                <th scope="col">Started</th>
                <th scope="col">Last seen</th>
              </tr>
            </thead>
            <tbody>
              {hubs.map((hub) => (
                <tr key={`${hub.instance ?? ''}\0${hub.startedAt ?? ''}`}>
                  <th scope="row" className="wrap">
                    {hub.instance}
                    {hub.me === true && <span className="muted"> · answers this page</span>}
                  </th>
                  <td>{hub.alive === false ? <Badge tone="bad" tip="It has not been heard of for too long: others take its lanes.">gone</Badge> : <Badge tone="ok">alive</Badge>}</td>
                  <td>
                    <Share of={all === 0 ? 0 : (hub.lanes ?? 0) / all} />
                  </td>
                  <td className="number">{count(hub.lanes ?? 0)}</td>
                  <td className="number">{count(hub.subscriptions ?? 0)}</td>
                  <td><Time at={hub.startedAt} /></td>
                  <td><Time at={hub.lastSeenAt} show="age" /></td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  )
}

function Share({ of }: { of: number }) {
  return (
    <span className="overview-share">
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect className="overview-share-all" width="100" height="8" />
        <rect className="overview-share-own" width={Math.round(of * 100)} height="8" />
      </svg>
      {percent(of)}
    </span>
  )
}
