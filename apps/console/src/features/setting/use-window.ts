import { type RefCallback, useCallback, useState } from 'react'
import { useMedia } from '../../lib/use-media.ts'

/** Rows beyond the visible ones, so that a fast scroll shows no gaps. */
const overscan = 8

const rowPx = { pointer: 36, touch: 52 } as const

interface ListWindow {
  readonly rowHeight: number
  /** The first row to draw, and the one after the last. */
  readonly from: number
  readonly to: number
  readonly ref: RefCallback<HTMLElement>
  readonly onScroll: (event: { readonly currentTarget: HTMLElement }) => void
}

/** Which rows of a long list with equal heights are rendered. */
export function useWindow(count: number): ListWindow {
  const rowHeight = useMedia('(pointer: coarse)') ? rowPx.touch : rowPx.pointer
  const [{ top, height }, setView] = useState({ top: 0, height: 400 })
  const ref = useCallback((element: HTMLElement | null) => {
    if (element !== null) setView({ top: element.scrollTop, height: element.clientHeight })
  }, [])
  const first = Math.max(0, Math.floor(top / rowHeight) - overscan)
  const from = Math.min(first, Math.max(0, count - 1))
  return {
    rowHeight,
    from,
    to: Math.min(count, Math.ceil((top + height) / rowHeight) + overscan),
    ref,
    onScroll: ({ currentTarget }) => setView({ top: currentTarget.scrollTop, height: currentTarget.clientHeight }),
  }
}
