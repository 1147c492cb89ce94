import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import type { Pages } from '~/api/pages'
import { count } from '~/lib/format'
import { Button } from './Button'
import { ProblemNote, Loading, Stale } from './states'
import './data-table.css'

export interface Column<T> {
  name: string
  /** A width of CSS grid: "120px", "minmax(160px, 2fr)". */
  width: string
  align?: 'start' | 'end'
  cell: (row: T) => ReactNode
  /** For tables that sort: what the header asks for when pressed. */
  sort?: string
}

interface Sorting {
  by: string | undefined
  change: (sort: string) => void
}

interface DataTableProps<T> {
  /** What the rows are, for those who hear the page: "Events". */
  label: string
  columns: Column<T>[]
  rows: T[]
  rowKey: (row: T) => string
  /** Enter, or a click. */
  onOpen?: ((row: T) => void) | undefined
  /** Rows that can be chosen, by Space or their box. */
  selection?: { chosen: ReadonlySet<string>; toggle: (key: string, row: T) => void; rowLabel: (row: T) => string } | undefined
  sorting?: Sorting | undefined
  /** Called as the last rows come into view. */
  onEnd?: (() => void) | undefined
  footer?: ReactNode
  /** Rows of more than one line say how high they are. */
  rowHeight?: number
}

const boxColumn = '36px'

/** All rows are equally wide, whatever is in them: what the columns need at least, and then the table scrolls sideways. */
const leastWidth = (widths: string[]) => widths.reduce((sum, width) => sum + Number(/(\d+)px/.exec(width)?.[1] ?? 0), 0)

/**
 * Shows as many of its rows as fit. One stop in the tab order: the arrow keys, Page Up and Down, Home and End move a row at a time,
 * Enter opens, Space chooses.
 */
export function DataTable<T>({ label, columns, rows, rowKey, onOpen, selection, sorting, onEnd, footer, rowHeight = 36 }: DataTableProps<T>) {
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState(0)
  // The compiler's rules do not know the virtualizer's functions; nothing here is memoized on them.
  // eslint-disable-next-line react-hooks/incompatible-library
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? -1
  const at = Math.min(current, rows.length - 1)

  useEffect(() => {
    if (last >= rows.length - 20) {
      onEnd?.()
    }
  }, [last, rows.length, onEnd])

  const widths = [...(selection ? [boxColumn] : []), ...columns.map((column) => column.width)]
  const layout = { gridTemplateColumns: widths.join(' '), minWidth: leastWidth(widths) }

  const move = (to: number) => {
    const row = Math.max(0, Math.min(rows.length - 1, to))
    setCurrent(row)
    virtual.scrollToIndex(row)
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== scroller.current || event.altKey || event.ctrlKey || event.metaKey) {
      return
    }
    const page = Math.max(1, Math.floor((scroller.current.clientHeight - rowHeight) / rowHeight) - 1)
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: rows.length - 1 }
    const to = moves[event.key]
    const row = rows[at]
    if (to !== undefined) {
      move(to)
    } else if (event.key === 'Enter' && row !== undefined && onOpen) {
      onOpen(row)
    } else if (event.key === ' ' && row !== undefined && selection) {
      selection.toggle(rowKey(row), row)
    } else {
      return
    }
    event.preventDefault()
  }

  return (
    <div className="table-frame">
      {/* A grid is one widget with one stop in the tab order: the rows themselves take no focus. */}
      <div
        ref={scroller}
        className="table"
        role="grid"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-activedescendant={at >= 0 && items.some((item) => item.index === at) ? `${id}-${at}` : undefined}
        aria-multiselectable={selection ? true : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div className="table-row table-head" role="row" aria-rowindex={1} style={layout}>
          {selection && (
            <div role="columnheader">
              <span className="visually-hidden">Chosen</span>
            </div>
          )}
          {columns.map((column) => (
            <div
              key={column.name}
              role="columnheader"
              className={column.align === 'end' ? 'number' : undefined}
              aria-sort={column.sort !== undefined && column.sort === sorting?.by ? 'descending' : undefined}
            >
              {column.sort !== undefined && sorting ? (
                <button type="button" className="table-sort" onClick={() => { sorting.change(column.sort ?? '') }}>
                  {column.name}
                  {column.sort === sorting.by && <span aria-hidden="true"> ↓</span>}
                </button>
              ) : (
                column.name
              )}
            </div>
          ))}
        </div>
        <div className="table-body" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
          {items.map((item) => {
            const row = rows[item.index]
            if (row === undefined) {
              return null
            }
            const key = rowKey(row)
            const chosen = selection?.chosen.has(key) ?? false
            return (
              // Keys are handled by the grid, which has the focus.
              // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
              <div
                key={key}
                id={`${id}-${item.index}`}
                role="row"
                aria-rowindex={item.index + 2}
                aria-selected={selection ? chosen : undefined}
                className={`table-row${item.index === at ? ' table-current' : ''}${chosen ? ' table-chosen' : ''}${onOpen ? ' table-opens' : ''}`}
                style={{ ...layout, height: item.size, transform: `translateY(${item.start}px)` }}
                onClick={(event) => {
                  setCurrent(item.index)
                  // A link or a button in the row does its own thing, and marking text is not a click.
                  const own = event.target instanceof Element && event.target.closest('a, button, input, label') !== null
                  if (!own && getSelection()?.isCollapsed !== false) {
                    onOpen?.(row)
                  }
                }}
              >
                {selection && (
                  <div role="gridcell">
                    <input type="checkbox" tabIndex={-1} checked={chosen} aria-label={selection.rowLabel(row)} onChange={() => { selection.toggle(key, row) }} />
                  </div>
                )}
                {columns.map((column) => (
                  <div key={column.name} role="gridcell" className={`table-cell${column.align === 'end' ? ' number' : ''}`}>
                    {column.cell(row)}
                  </div>
                ))}
              </div>
            )
          })}
        </div>
      </div>
      {footer !== undefined && <div className="table-foot">{footer}</div>}
    </div>
  )
}

interface PagedTableProps<T> extends Omit<DataTableProps<T>, 'rows' | 'onEnd' | 'footer'> {
  pages: Pages<T>
  /** What stands there when there is nothing at all. */
  empty: ReactNode
}

/** So many pages without a row, then the user decides whether the search goes on. */
const emptyPagesInARow = 10

/** A table over a list that pages by cursor, in all its states. */
export function PagedTable<T>({ pages, empty, ...table }: PagedTableProps<T>) {
  const { rows, pageCount, hasMore, isFetching, error, loadMore } = pages
  // Where the count of pages stood when a row last came, or when the user last asked to go on.
  const [progress, setProgress] = useState({ rows: 0, pages: 0 })
  if (progress.rows !== rows.length || progress.pages > pageCount) {
    setProgress({ rows: rows.length, pages: pageCount })
  }
  const tired = pageCount - progress.pages >= emptyPagesInARow
  const searching = hasMore && rows.length === 0 && !tired && error === null

  useEffect(() => {
    if (searching && !isFetching) {
      loadMore()
    }
  }, [searching, isFetching, loadMore])

  const further = (
    <Button
      onClick={() => {
        setProgress({ rows: rows.length, pages: pageCount })
        loadMore()
      }}
    >
      Look further back
    </Button>
  )

  if (pageCount === 0) {
    return error === null ? <Loading /> : <ProblemNote error={error} again={pages.refetch} />
  }
  if (rows.length === 0) {
    if (searching) {
      return <Loading what="Nothing yet, looking further back" />
    }
    return (
      <>
        {error !== null && <ProblemNote error={error} again={pages.refetch} />}
        {empty}
        {hasMore && <div className="table-foot">{further}</div>}
      </>
    )
  }
  return (
    <>
      {error !== null && <Stale since={pages.updatedAt} error={error} />}
      <DataTable
        {...table}
        rows={rows}
        onEnd={hasMore && !isFetching && error === null && !tired ? loadMore : undefined}
        footer={
          hasMore ? (
            tired ? further : <span>{count(rows.length)} shown, more follow{pages.isLoadingMore ? ' …' : ''}</span>
          ) : (
            <span>{count(rows.length)} in all</span>
          )
        }
      />
    </>
  )
}
