import { useCallback, useEffect, useRef } from 'react'

/**
 * What a form sends, one call at a time: a further call while it runs does nothing. State of the page would come too late, since it changes
 * only when the page renders again.
 */
export function useAlone<Args extends readonly unknown[]>(act: (...args: Args) => Promise<void>): (...args: Args) => Promise<void> {
  const isRunning = useRef(false)
  const latest = useRef(act)
  useEffect(() => {
    latest.current = act
  })
  return useCallback(async (...args) => {
    if (isRunning.current) return
    isRunning.current = true
    try {
      await latest.current(...args)
    } finally {
      isRunning.current = false
    }
  }, [])
}
