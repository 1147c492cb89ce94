import { useMemo } from 'react'
import type { Series } from '~/api/overview'
import { Chart } from '~/components/Chart'
import { Section } from '~/components/Page'
import { count, rate } from '~/lib/format'
import { perSecond } from './trouble'

export function LastHour({ series }: { series: Series | undefined }) {
  const drawn = useMemo(() => {
    const step = series?.stepSeconds ?? 10
    const from = Date.parse(series?.from ?? '')
    const delivered = perSecond(series?.delivered, step)
    return {
      times: delivered.map((_, index) => from + index * step * 1000),
      recorded: perSecond(series?.recorded, step),
      delivered,
      failed: perSecond(series?.failed, step),
    }
  }, [series])
  const sum = (values: readonly number[] | undefined) => count((values ?? []).reduce((total, value) => total + value, 0))
  const words = `In the last hour ${sum(series?.recorded)} events were recorded, ${sum(series?.delivered)} delivered, ${sum(series?.failed)} attempts failed and ${sum(series?.deadLettered)} events became dead letters.`
  return (
    <Section title="The last hour">
      <p className="muted overview-words">{words}</p>
      {series === undefined ? null : (
        <Chart
          label={`Recorded, delivered and failed a second. ${words}`}
          times={drawn.times}
          series={[
            { name: 'recorded', values: drawn.recorded },
            { name: 'delivered', values: drawn.delivered },
            { name: 'failed attempts', values: drawn.failed },
          ]}
          format={rate}
        />
      )}
    </Section>
  )
}
