import { type CSSProperties, useCallback, useState } from 'react'

interface WindowSpec {
  readonly count: number
  /** Every row has this height, in pixels. */
  readonly rowPx: number
  /** Above the first and below the last row. */
  readonly padPx: number
}

export interface RowWindow {
  /** For the element that scrolls. */
  readonly attach: (element: HTMLElement | null) => (() => void) | undefined
  /** Of the element inside that has the height of all rows. */
  readonly heightPx: number
  /** The indexes of the rows to render. */
  readonly indexes: readonly number[]
  readonly styleOf: (index: number) => CSSProperties
  /** Scrolls as little as possible, so that the row is visible. */
  readonly reveal: (index: number) => void
}

/** Rows rendered above and below the visible ones, so that fast scrolling shows no gap. */
const spareRows = 12

/** The part of a long list that is visible: only these rows are in the document. */
export function useWindow({ count, rowPx, padPx }: WindowSpec): RowWindow {
  const [view, setView] = useState({ topPx: 0, heightPx: 0 })
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
  const attach = useCallback((element: HTMLElement | null) => {
    setScroller(element)
    if (element === null) return
    const measure = () => setView({ topPx: element.scrollTop, heightPx: element.clientHeight })
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    element.addEventListener('scroll', measure, { passive: true })
    measure()
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', measure)
    }
  }, [])
  const first = Math.max(0, Math.floor((view.topPx - padPx) / rowPx) - spareRows)
  const end = Math.min(count, Math.ceil((view.topPx + view.heightPx) / rowPx) + spareRows)
  return {
    attach,
    heightPx: count * rowPx + 2 * padPx,
    indexes: Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index),
    styleOf: (index) => ({ height: rowPx, transform: `translateY(${padPx + index * rowPx}px)` }),
    reveal: (index) => {
      if (scroller === null) return
      const topPx = index * rowPx
      const bottomPx = topPx + rowPx + 2 * padPx
      if (topPx < scroller.scrollTop) scroller.scrollTop = topPx
      else if (bottomPx > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = bottomPx - scroller.clientHeight
    },
  }
}
