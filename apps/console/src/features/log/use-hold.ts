import { type RefObject, useEffect, useState } from 'react'

/** Where a pointer or the focus holds the rows: on the table, its cards, and the button that shows what waits. */
const held = 'table, [data-row], [data-waiting]'

const isHeldBy = (target: EventTarget | null): boolean => target instanceof Element && target.closest(held) !== null

/**
 * Whether the reader is busy with the rows of an element: the pointer is over them, the focus was moved there by keyboard, or text in them
 * is selected. Rows that move then would be read or pressed by mistake.
 */
export function useHold(element: RefObject<HTMLElement | null>): boolean {
  const [isOver, setOver] = useState(false)
  const [hasFocus, setFocus] = useState(false)
  const [isSelecting, setSelecting] = useState(false)
  useEffect(() => {
    const { current } = element
    if (current === null) return
    const listeners = new AbortController()
    const { signal } = listeners
    // A finger that touches is not a pointer that stays.
    current.addEventListener('pointerover', ({ target, pointerType }) => setOver(pointerType !== 'touch' && isHeldBy(target)), { signal })
    current.addEventListener('pointerleave', () => setOver(false), { signal })
    const isByKeyboard = (target: EventTarget | null) => isHeldBy(target) && target instanceof Element && target.matches(':focus-visible')
    current.addEventListener('focusin', ({ target }) => setFocus(isByKeyboard(target)), { signal })
    current.addEventListener('focusout', () => setFocus(false), { signal })
    const onSelect = () => {
      const selection = getSelection()
      setSelecting(selection?.isCollapsed === false && current.contains(selection.anchorNode))
    }
    document.addEventListener('selectionchange', onSelect, { signal })
    return () => listeners.abort()
  }, [element])
  return isOver || hasFocus || isSelecting
}
