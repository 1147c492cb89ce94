import { getRouteApi } from '@tanstack/react-router'
import { useSeries, type Series } from '~/api/subscriptions'
import { Chart } from '~/components/Chart'
import { Section } from '~/components/Page'
import { Loaded } from '~/components/states'
import { count } from '~/lib/format'
import { periods } from './search'

const route = getRouteApi('/subscriptions/$name')

const sum = (values: number[] | undefined) => (values ?? []).reduce((total, value) => total + value, 0)

/** A day in minutes is more points than a screen is wide: so many steps are added up to one. */
function gathered(values: number[] | undefined, by: number): number[] {
  const all = values ?? []
  return Array.from({ length: Math.ceil(all.length / by) }, (_, index) => sum(all.slice(index * by, (index + 1) * by)))
}

export function SeriesChart({ name }: { name: string }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const period = search.period ?? '1h'
  const series = useSeries(name, period)
  return (
    <Section
      title="Delivered and failed"
      actions={
        <div className="row" role="group" aria-label="Period">
          {periods.map((one) => (
            <button
              key={one}
              type="button"
              className={`button ${one === period ? 'button-primary' : 'button-quiet'}`}
              aria-pressed={one === period}
              onClick={() => void navigate({ search: one === '1h' ? {} : { period: one }, replace: true })}
            >
              {one}
            </button>
          ))}
        </div>
      }
    >
      <Loaded query={series}>{(data) => <Drawn series={data} />}</Loaded>
    </Section>
  )
}

function Drawn({ series }: { series: Series }) {
  const step = series.stepSeconds ?? 60
  const by = Math.max(1, Math.ceil((series.delivered?.length ?? 0) / 360))
  const from = Date.parse(series.from ?? '')
  const delivered = gathered(series.delivered, by)
  const lines = [
    { name: 'delivered', values: delivered },
    { name: 'failed attempts', values: gathered(series.failed, by) },
    { name: 'dead-lettered', values: gathered(series.deadLettered, by) },
  ]
  const minutes = (step * by) / 60
  const totals = `${count(sum(series.delivered))} delivered, ${count(sum(series.failed))} attempts failed, ${count(sum(series.deadLettered))} dead-lettered`
  return (
    <>
      <Chart
        label={`Over time: ${totals} in all`}
        times={delivered.map((_, index) => from + index * by * step * 1000)}
        series={lines}
      />
      <p className="muted">
        {totals}. A point is {minutes === 1 ? 'a minute' : `${count(minutes)} minutes`}. Counted by the hubs, and kept for a day.
      </p>
    </>
  )
}
