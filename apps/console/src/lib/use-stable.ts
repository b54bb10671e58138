import { useCallback, useLayoutEffect, useRef } from 'react'

/** A function whose identity never changes and that calls the latest `act`: for handlers of memoized components. Not to be called while rendering. */
export function useStable<Args extends readonly unknown[], Result>(act: (...args: Args) => Result): (...args: Args) => Result {
  const latest = useRef(act)
  useLayoutEffect(() => {
    latest.current = act
  })
  return useCallback((...args) => latest.current(...args), [])
}
