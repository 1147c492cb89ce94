import { useEffect, useState } from 'react'

/** The value once it has stood still for so long: what is typed is not asked about letter by letter. */
export function useSettled<T>(value: T, millis: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(value)
    }, millis)
    return () => {
      clearTimeout(timer)
    }
  }, [value, millis])
  return settled
}
