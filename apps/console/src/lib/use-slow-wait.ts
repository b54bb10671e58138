import { useEffect, useState } from 'react'

/** A wait shorter than `showMs` shows nothing; an indicator stays for `stayMs`, so that it does not flash. */
const showMs = 150
const stayMs = 300

/** Whether a wait is long enough to be shown. */
export function useSlowWait(isWaiting: boolean): boolean {
  const [phase, setPhase] = useState<'no' | 'just' | 'long'>('no')
  useEffect(() => {
    if (isWaiting && phase === 'no') return later(() => setPhase('just'), showMs)
    if (phase === 'just') return later(() => setPhase('long'), stayMs)
    if (phase === 'long' && !isWaiting) setPhase('no')
    return undefined
  }, [isWaiting, phase])
  return phase === 'just' || (phase === 'long' && isWaiting)
}

/** Whether a placeholder takes the place of what is waited for. Once it is visible, it stays as long as every indicator. */
export function usePlaceholder(isWaiting: boolean): boolean {
  const isSlow = useSlowWait(isWaiting)
  return isWaiting || isSlow
}

function later(act: () => void, ms: number): () => void {
  const timer = setTimeout(act, ms)
  return () => clearTimeout(timer)
}
