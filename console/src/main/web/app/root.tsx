import { createRootRoute, Link, type ErrorComponentProps } from '@tanstack/react-router'
import { Problem, Unreachable } from '~/api/problem'
import { Button } from '~/components/Button'
import { Page } from '~/components/Page'
import { Empty, ProblemNote } from '~/components/states'
import { Shell } from './Shell'

/** The parent of every screen's routes. */
export const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <Page title="Nothing here">
      <Empty title="There is no such page.">
        <Link to="/">To the overview</Link>
      </Empty>
    </Page>
  ),
})

/** The error boundary of every screen: the frame stays, and the other screens can be used. */
export function ScreenFailed({ error, reset }: ErrorComponentProps) {
  const known = error instanceof Problem || error instanceof Unreachable
  return (
    <Page title="This screen cannot be shown">
      <ProblemNote error={error} again={reset} />
      {!known && (
        <p>
          {/* A hub that was replaced has other files than the page that was loaded from the one before. */}
          <Button
            onClick={() => {
              location.reload()
            }}
          >
            Load the page again
          </Button>
        </p>
      )}
    </Page>
  )
}
