import { type PointerEvent, useState } from 'react'

interface Drag {
  readonly from: number
  readonly to: number
}

interface BrushOptions {
  /** Number of bars that share the width. */
  readonly count: number
  /** Called with the first and last bar that were dragged over; `height` is how far up the pointer was, from 0 to 1. */
  readonly onPick: (picked: { readonly first: number; readonly last: number; readonly height: number }) => void
}

/** The bar under the pointer, and those that are being dragged over. */
export function useBrush({ count, onPick }: BrushOptions) {
  const [pointed, setPointed] = useState<number | null>(null)
  const [drag, setDrag] = useState<Drag | null>(null)
  const at = ({ currentTarget, clientX }: PointerEvent<SVGElement>): number => {
    const { left, width } = currentTarget.getBoundingClientRect()
    return Math.min(count - 1, Math.max(0, Math.floor(((clientX - left) / width) * count)))
  }
  const heightAt = ({ currentTarget, clientY }: PointerEvent<SVGElement>): number => {
    const { bottom, height } = currentTarget.getBoundingClientRect()
    return (bottom - clientY) / height
  }
  const brush = drag && { first: Math.min(drag.from, drag.to), last: Math.max(drag.from, drag.to) }
  const handlers = {
    onPointerDown: (event: PointerEvent<SVGElement>) => {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      setDrag({ from: at(event), to: at(event) })
    },
    onPointerMove: (event: PointerEvent<SVGElement>) => {
      setPointed(at(event))
      if (drag !== null) setDrag({ ...drag, to: at(event) })
    },
    onPointerUp: (event: PointerEvent<SVGElement>) => {
      setDrag(null)
      if (brush !== null) onPick({ ...brush, height: heightAt(event) })
    },
    onPointerCancel: () => setDrag(null),
    onPointerLeave: () => setPointed(null),
  }
  return { pointed, setPointed, brush, handlers }
}
