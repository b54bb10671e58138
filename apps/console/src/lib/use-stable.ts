import { useCallback, useLayoutEffect, useRef } from 'react'

/** The same function in every render, which calls that of the last one: handlers of memoized components. It is not called while rendering. */
export function useStable<Args extends readonly unknown[], Result>(act: (...args: Args) => Result): (...args: Args) => Result {
  const latest = useRef(act)
  useLayoutEffect(() => {
    latest.current = act
  })
  return useCallback((...args) => latest.current(...args), [])
}
