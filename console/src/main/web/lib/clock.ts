import { useState, useSyncExternalStore } from 'react'

/** One clock for all ages on the page, a tick a second, standing still while nobody looks. */
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function tick() {
  if (!document.hidden) {
    now = Date.now()
    for (const listener of listeners) {
      listener()
    }
  }
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  if (timer === undefined) {
    now = Date.now()
    timer = setInterval(tick, 1000)
    document.addEventListener('visibilitychange', tick)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) {
      clearInterval(timer)
      timer = undefined
      document.removeEventListener('visibilitychange', tick)
    }
  }
}

export const useNow = () => useSyncExternalStore(subscribe, () => now)

/** When this question was first asked, by the page's clock; stands still until it is another question. */
export function useAskedAt(question: string): number {
  const current = useNow()
  const [asked, setAsked] = useState({ question, at: current })
  if (asked.question !== question) {
    setAsked({ question, at: current })
    return current
  }
  return asked.at
}
