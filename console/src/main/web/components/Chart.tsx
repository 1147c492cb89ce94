import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { shortCount } from '~/lib/format'
import './chart.css'

export interface Series {
  name: string
  values: (number | null)[]
}

interface ChartProps {
  /** What is drawn, in words, with its newest values: for those who cannot see it. */
  label: string
  /** Milliseconds since 1970. */
  times: number[]
  series: Series[]
  format?: (value: number) => string
  height?: number
}

const dashes: number[][] = [[], [6, 4], [2, 3], [8, 3, 2, 3]]

/** Lines over time. They are told apart by dash and by the legend's words as well as by colour. */
export function Chart({ label, times, series, format = shortCount, height = 180 }: ChartProps) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot>(undefined)
  const data: UPlot.AlignedData = [times.map((time) => time / 1000), ...series.map((one) => one.values)]
  const latest = useRef(data)
  const names = series.map((one) => one.name).join('\0')

  useEffect(() => {
    latest.current = data
    plot.current?.setData(data)
  })

  useEffect(() => {
    const element = host.current
    if (element === null) {
      return
    }
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const draw = () => {
      plot.current?.destroy()
      // A canvas knows no custom properties: they are read anew when the scheme changes.
      const css = getComputedStyle(element)
      const colour = (name: string) => css.getPropertyValue(name).trim()
      const axis: UPlot.Axis = {
        stroke: colour('--muted'),
        font: `12px ${css.fontFamily}`,
        grid: { stroke: colour('--line'), width: 1 },
        ticks: { stroke: colour('--line'), width: 1 },
      }
      plot.current = new UPlot(
        {
          width: element.clientWidth,
          height,
          legend: { live: true },
          cursor: { y: false },
          scales: { y: { range: (_plot, _min, max) => [0, Math.max(max * 1.1, 1)] } },
          axes: [axis, { ...axis, size: 56, values: (_plot, splits) => splits.map(format) }],
          series: [
            {},
            ...names.split('\0').map((name, index) => ({
              label: name,
              stroke: colour(`--chart-${(index % 4) + 1}`),
              dash: dashes[index % 4] ?? [],
              width: 1.5,
              value: (_plot: UPlot, value: number | null) => (value === null ? '–' : format(value)),
            })),
          ],
        },
        latest.current,
        element,
      )
    }
    draw()
    const sized = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }))
    sized.observe(element)
    dark.addEventListener('change', draw)
    return () => {
      sized.disconnect()
      dark.removeEventListener('change', draw)
      plot.current?.destroy()
      plot.current = undefined
    }
  }, [names, height, format])

  return <div ref={host} className="chart" role="img" aria-label={label} />
}
