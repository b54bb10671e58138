/** Where a popup stands beside its anchor, in the coordinates of the window. */
export interface Place {
  readonly left: number
  /** Below the anchor: the distance of the popup's upper edge from the top of the window. */
  readonly top: number | null
  /** Above the anchor: the distance of the popup's lower edge from the bottom of the window. */
  readonly bottom: number | null
  /** The most height that is free on the chosen side. */
  readonly room: number
}

export type Align = 'start' | 'center' | 'end'
export type Side = 'top' | 'bottom'

interface PlaceSpec {
  readonly anchor: Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom' | 'width'>
  readonly popup: { readonly width: number; readonly height: number }
  readonly view: { readonly width: number; readonly height: number }
  readonly align: Align
  /** The preferred side. */
  readonly side: Side
}

/** Free space between a popup and the edges of the window. */
const edgePx = 8

/** The preferred side if the popup has room there, else the side with more room; always inside of the window. */
export function placeOf({ anchor, popup, view, align, side }: PlaceSpec): Place {
  const rooms = { top: anchor.top - edgePx, bottom: view.height - anchor.bottom - edgePx }
  const other = side === 'top' ? 'bottom' : 'top'
  const chosen = popup.height <= rooms[side] || rooms[side] >= rooms[other] ? side : other
  const left = { start: anchor.left, center: anchor.left + (anchor.width - popup.width) / 2, end: anchor.right - popup.width }[align]
  return {
    left: Math.max(edgePx, Math.min(left, view.width - edgePx - popup.width)),
    top: chosen === 'bottom' ? anchor.bottom : null,
    bottom: chosen === 'top' ? view.height - anchor.top : null,
    room: Math.max(0, rooms[chosen]),
  }
}
