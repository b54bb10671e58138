/**
 * Makes the function that focuses the heading of a page that was gone to, so that screen readers announce it. A page that reads its
 * content first has its heading later; it gets the focus then, unless the reader has moved it meanwhile.
 */
export function headingFocus(): () => void {
  let waiting: MutationObserver | null = null
  return () => {
    waiting?.disconnect()
    if (focusHeading()) return
    const before = document.activeElement
    const observer = new MutationObserver(() => {
      const { activeElement } = document
      const hasMoved = activeElement !== before && activeElement !== document.body
      if (hasMoved || focusHeading()) observer.disconnect()
    })
    observer.observe(document.body, { childList: true, subtree: true })
    waiting = observer
  }
}

function focusHeading(): boolean {
  const heading = document.querySelector('h1')
  heading?.focus({ preventScroll: true })
  return heading !== null
}
