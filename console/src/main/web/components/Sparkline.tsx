import './chart.css'

/** A trend the size of a word. Its label says in words what it shows. */
export function Sparkline({ values, label }: { values: number[]; label: string }) {
  const highest = Math.max(...values, 0)
  const step = 100 / Math.max(values.length - 1, 1)
  const points = values.map((value, index) => `${(index * step).toFixed(1)},${(21 - (highest === 0 ? 0 : (value / highest) * 20)).toFixed(1)}`)
  return (
    <svg className="sparkline" viewBox="0 0 100 22" preserveAspectRatio="none" role="img" aria-label={label}>
      <polyline points={points.join(' ')} vectorEffect="non-scaling-stroke" />
    </svg>
  )
}
