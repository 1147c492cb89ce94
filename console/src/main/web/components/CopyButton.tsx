import { useEffect, useState } from 'react'
import { Button } from './Button'

/** Copies the text, and says so where it was pressed. */
export function CopyButton({ text, label = 'Copy' }: { text: string | (() => string); label?: string }) {
  const [said, setSaid] = useState<string>()

  useEffect(() => {
    const timer = setTimeout(() => {
      setSaid(undefined)
    }, 2000)
    return () => {
      clearTimeout(timer)
    }
  }, [said])

  return (
    <Button
      look="quiet"
      onClick={() => {
        // Over plain HTTP from another machine a browser gives pages no clipboard.
        const clipboard = navigator.clipboard as Clipboard | undefined
        if (clipboard === undefined) {
          setSaid('The browser allows it over HTTPS only')
          return
        }
        clipboard.writeText(typeof text === 'string' ? text : text()).then(
          () => {
            setSaid('Copied')
          },
          () => {
            setSaid('The browser refused')
          },
        )
      }}
    >
      <span aria-live="polite">{said ?? label}</span>
    </Button>
  )
}
