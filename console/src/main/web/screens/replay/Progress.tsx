import type { Replay } from '~/api/replays'
import { count } from '~/lib/format'
import { sum } from './words'

/** What became of the items, as one bar; the words are its label. */
export function Progress({ of, small = false }: { of: Replay; small?: boolean }) {
  const { requested = 0, delivered = 0, failed = 0 } = of
  const skipped = sum(of.skipped)
  const done = delivered + failed + skipped
  const words = `${count(done)} of ${count(requested)} settled: ${count(delivered)} delivered, ${count(failed)} failed, ${count(skipped)} skipped`
  const width = (some: number) => ({ width: `${requested === 0 ? 0 : (some / requested) * 100}%` })
  return (
    <div
      className={`progress${small ? ' progress-small' : ''}`}
      role="progressbar"
      aria-label={`Replay ${of.id ?? ''}`}
      aria-valuemin={0}
      aria-valuemax={requested}
      aria-valuenow={done}
      aria-valuetext={words}
      data-tip={words}
    >
      <span className="progress-delivered" style={width(delivered)} />
      <span className="progress-failed" style={width(failed)} />
      <span className="progress-skipped" style={width(skipped)} />
    </div>
  )
}
