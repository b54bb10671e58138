import { type PointerEvent, useEffect, useRef } from 'react'
import { hoverMs } from './delays.ts'

interface HoverSpec {
  readonly open: (anchor: HTMLElement) => void
  readonly close: () => void
}

/** Opens something after the mouse has rested on its anchor, and closes it after the mouse has left both. Fingers do not hover. */
export function useHover({ open, close }: HoverSpec) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const after = (ms: number, act: () => void) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(act, ms)
  }
  const leave = () => after(hoverMs.close, close)
  return {
    /** Forgets what was about to open or close. */
    stop: () => clearTimeout(timer.current),
    anchorProps: {
      onPointerEnter: ({ pointerType, currentTarget }: PointerEvent<HTMLElement>) => {
        if (pointerType === 'mouse') after(hoverMs.open, () => open(currentTarget))
      },
      onPointerLeave: leave,
    },
    popupProps: { onPointerEnter: () => clearTimeout(timer.current), onPointerLeave: leave },
  }
}
