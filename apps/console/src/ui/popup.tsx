import { type ComponentProps, useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import { cx } from '../lib/text.ts'
import { type Align, placeOf, type Side } from './placing.ts'

/** The look of popups. */
export const popupClass =
  'rounded-md border border-line bg-surface shadow-float outline-none transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0 starting:opacity-0'

/** What a popup would inherit from a cell or button around it. */
const plainClass = 'text-left font-sans text-base font-normal whitespace-normal text-text'

export interface PopupProps extends ComponentProps<'div'> {
  /** The element that the popup stands beside. A press on it does not close the popup: it has its own handler. */
  readonly anchor: Element
  readonly align?: Align
  readonly side?: Side
  /** Gets the focus back if it is in the popup when that closes; the anchor if it is left out. */
  readonly opener?: HTMLElement | null
  readonly onClose: () => void
  /** A note only: Esc closes it and is passed on, and a layer around it does not wait for it. */
  readonly isPassive?: boolean
  /** Called when the popup is shown and placed, to set the first focus. */
  readonly onOpen?: (popup: HTMLElement) => void
}

/**
 * A box in the browser's top layer, beside its anchor. Rendered only while it is open. Esc closes the innermost one, and a press or the
 * focus outside of it closes it. Its styles can use the width of the anchor (`--anchor-width`) and the free room (`--available-height`).
 */
export function Popup({
  anchor,
  align = 'start',
  side = 'bottom',
  isPassive = false,
  opener,
  onClose,
  onOpen,
  className,
  children,
  ...rest
}: PopupProps) {
  const ref = useRef<HTMLDivElement>(null)
  const show = useEffectEvent((popup: HTMLElement) => onOpen?.(popup))
  const returnFocus = useEffectEvent((popup: HTMLElement) => {
    const target = opener ?? anchor
    if (popup.contains(document.activeElement) && target instanceof HTMLElement) target.focus({ preventScroll: true })
  })
  useLayoutEffect(() => {
    const popup = ref.current
    if (popup === null) return
    if (hasPopovers() && !popup.matches(':popover-open')) popup.showPopover()
    const place = () => placeAt(popup, anchor, { align, side })
    place()
    show(popup)
    const sizes = new ResizeObserver(place)
    sizes.observe(popup)
    sizes.observe(anchor)
    addEventListener('resize', place)
    // Measuring lets the popup take its whole height, which would take the reader who scrolls in it back to its beginning.
    const follow = ({ target }: Event) => (target instanceof Node && popup.contains(target) ? undefined : place())
    addEventListener('scroll', follow, { capture: true, passive: true })
    return () => {
      returnFocus(popup)
      sizes.disconnect()
      removeEventListener('resize', place)
      removeEventListener('scroll', follow, { capture: true })
    }
  }, [anchor, align, side])
  useDismissal({ ref, anchor, isPassive, close: onClose })
  return (
    <div
      {...rest}
      ref={ref}
      {...(hasPopovers() && { popover: 'manual' })}
      {...(!isPassive && { 'data-popup': '' })}
      className={cx('fixed inset-auto z-50 overflow-visible bg-transparent py-1', plainClass, className)}
    >
      {children}
    </div>
  )
}

/** Safari before 17 and Firefox before 125 have no popovers: the box is above the page, but not in the top layer. */
const hasPopovers = (): boolean => 'popover' in HTMLElement.prototype

function placeAt(popup: HTMLElement, anchor: Element, options: { readonly align: Align; readonly side: Side }): void {
  const { style } = popup
  const box = anchor.getBoundingClientRect()
  const view = { width: document.documentElement.clientWidth, height: innerHeight }
  style.setProperty('--anchor-width', `${box.width}px`)
  style.setProperty('--available-width', `${view.width - 16}px`)
  style.setProperty('--available-height', `${view.height}px`)
  const size = { width: popup.offsetWidth, height: popup.offsetHeight }
  const { left, top, bottom, room } = placeOf({ anchor: box, popup: size, view, ...options })
  style.left = `${left}px`
  style.top = top === null ? '' : `${top}px`
  style.bottom = bottom === null ? '' : `${bottom}px`
  style.setProperty('--available-height', `${room}px`)
}

interface DismissalSpec {
  readonly ref: { readonly current: HTMLElement | null }
  readonly anchor: Element
  readonly isPassive: boolean
  readonly close: () => void
}

function useDismissal({ ref, anchor, isPassive, close }: DismissalSpec): void {
  const onEscape = useEffectEvent((event: KeyboardEvent) => {
    const popup = ref.current
    // A popup inside of this one is closed first.
    if (event.key !== 'Escape' || event.isComposing || popup === null || popup.querySelector('[data-popup]') !== null) return
    if (!isPassive) {
      // Layers around it stay open.
      event.stopImmediatePropagation()
      event.preventDefault()
    }
    close()
  })
  const isOutside = (target: EventTarget | null): boolean =>
    target instanceof Node && ref.current?.contains(target) === false && !anchor.contains(target)
  const onPress = useEffectEvent(({ target }: PointerEvent) => (isOutside(target) ? close() : undefined))
  const onFocus = useEffectEvent(({ target }: FocusEvent) => (isOutside(target) ? close() : undefined))
  useEffect(() => {
    const stopper = new AbortController()
    const options = { capture: true, signal: stopper.signal }
    document.addEventListener('keydown', (event) => onEscape(event), options)
    document.addEventListener('pointerdown', (event) => onPress(event), options)
    document.addEventListener('focusin', (event) => onFocus(event), options)
    return () => stopper.abort()
  }, [])
}

const layers = '[role=dialog], [role=alertdialog], [data-popup]'

/** A popup at the end of the layer that its anchor is in, so that it inherits nothing from the anchor's surroundings. */
export function LayerPopup(props: PopupProps) {
  return createPortal(<Popup {...props} />, props.anchor.closest(layers) ?? document.body)
}
