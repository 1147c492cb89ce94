import { useSyncExternalStore } from 'react'

/** A value outside React that components follow. */
export class Store<T> {
  private readonly listeners = new Set<() => void>()

  constructor(private value: T) {}

  readonly get = (): T => this.value

  set(value: T) {
    this.value = value
    for (const listener of this.listeners) {
      listener()
    }
  }

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener)
    return () => {
      this.listeners.delete(listener)
    }
  }
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get)
}
