import { QueryCache, QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect } from 'react'
import { live } from '~/api/live'
import { askWhoIAm } from '~/api/me'
import { passes, Problem, Unreachable } from '~/api/problem'
import { useSession } from '~/api/session'
import { Loading, ProblemNote } from '~/components/states'
import { Tips } from '~/components/Tips'
import { Toasts } from '~/components/Toasts'
import { backoff } from '~/lib/backoff'
import { router } from './router'
import { SignIn } from './SignIn'

const queries = new QueryClient({
  queryCache: new QueryCache({
    onSuccess: () => {
      live.heard()
    },
    onError: (error) => {
      if (error instanceof Unreachable) {
        live.doubt()
      }
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 2000,
      retry: (failures, error) => failures < 2 && passes(error),
      retryDelay: (failures, error) => (error instanceof Problem && error.retryAfterSeconds !== undefined ? error.retryAfterSeconds * 1000 : backoff(failures)),
      // The hub may be on this machine, which needs no network to be reached.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

export function App() {
  return (
    <QueryClientProvider client={queries}>
      <Entrance />
      <Toasts />
      <Tips />
    </QueryClientProvider>
  )
}

function Entrance() {
  const state = useSession()
  const asking = useQuery({
    queryKey: ['me'],
    queryFn: async ({ signal }) => {
      await askWhoIAm(signal)
      return true
    },
    enabled: state.phase === 'asking',
    retry: false,
    refetchInterval: ({ state: query }) => (query.error === null ? false : 3000),
  })

  // What one key was shown, the next one may not see.
  useEffect(() => {
    if (state.phase === 'key-needed') {
      queries.clear()
    }
  }, [state.phase])

  switch (state.phase) {
    case 'asking':
      return <div className="page">{asking.error === null ? <Loading what="Asking the hub" /> : <ProblemNote error={asking.error} again={() => void asking.refetch()} />}</div>
    case 'key-needed':
      return <SignIn why={state.why} />
    case 'in':
      return <RouterProvider router={router} />
  }
}
