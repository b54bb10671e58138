import { useEffect, useState } from 'react'

/** How long after a mail the next one can be requested (specification, section 9). */
export const resendSeconds = 30

const tickMs = 250

interface Countdown {
  /** Seconds that are left; 0 = not running. */
  readonly left: number
  readonly start: (seconds: number) => void
}

/** @param runningSeconds runs from the start; 0 = waits for `start` */
export function useCountdown(runningSeconds = 0): Countdown {
  const [endsMs, setEnd] = useState(() => (runningSeconds === 0 ? 0 : Date.now() + runningSeconds * 1000))
  const [left, setLeft] = useState(runningSeconds)
  useEffect(() => {
    if (endsMs === 0) return
    const timer = setInterval(() => {
      const now = secondsUntil(endsMs)
      setLeft(now)
      if (now === 0) clearInterval(timer)
    }, tickMs)
    return () => clearInterval(timer)
  }, [endsMs])
  const start = (seconds: number): void => {
    setEnd(Date.now() + seconds * 1000)
    setLeft(seconds)
  }
  return { left, start }
}

function secondsUntil(ms: number): number {
  return Math.max(0, Math.ceil((ms - Date.now()) / 1000))
}
