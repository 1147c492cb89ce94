import { keepPreviousData, useInfiniteQuery, type QueryKey } from '@tanstack/react-query'
import { useMemo } from 'react'
import { usePollInterval } from './live'

/** How every list of the API comes: a missing next is the end, and a page may be empty although more follow. */
export interface Page<T> {
  items?: T[]
  next?: string
}

export interface Pages<T> {
  rows: T[]
  /** Undefined until the first page is there. */
  pageCount: number
  isPending: boolean
  isFetching: boolean
  /** Set beside rows if what is shown could not be asked for again. */
  error: Error | null
  updatedAt: number
  hasMore: boolean
  isLoadingMore: boolean
  loadMore: () => void
  refetch: () => void
}

interface PagesOptions<T> {
  key: QueryKey
  load: (after: string | undefined, signal: AbortSignal) => Promise<Page<T>>
  /** Milliseconds between polls while the page is not live; false: this list never changes by itself. */
  poll?: number | false
  enabled?: boolean
}

/**
 * A list that pages by cursor. It is asked for again by itself while only its first page is there: someone who has scrolled down
 * is reading, and would have every page loaded anew below their eyes.
 */
export function usePages<T>({ key, load, poll = 10_000, enabled = true }: PagesOptions<T>): Pages<T> {
  const interval = usePollInterval(poll === false ? 0 : poll)
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Page<T>) => page.next,
    placeholderData: keepPreviousData,
    enabled,
    refetchInterval: ({ state }) => (poll === false || (state.data?.pages.length ?? 0) > 1 ? false : interval),
  })
  const { data, fetchNextPage, isFetching, refetch } = query
  const rows = useMemo(() => data?.pages.flatMap((page) => page.items ?? []) ?? [], [data])
  return {
    rows,
    pageCount: data?.pages.length ?? 0,
    isPending: query.isPending,
    isFetching,
    error: query.error,
    updatedAt: query.dataUpdatedAt,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => {
      if (!isFetching) {
        void fetchNextPage()
      }
    },
    refetch: () => {
      void refetch()
    },
  }
}
