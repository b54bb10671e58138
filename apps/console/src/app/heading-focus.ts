/**
 * Makes the function that focuses the heading of a page that was gone to, so that screen readers announce it. It does so once the page has
 * been painted: the focus needs the layout, and computing it at once would make the page appear later. A page that reads its content first
 * has its heading later still. The heading gets no focus if the reader has moved it meanwhile.
 */
export function headingFocus(): () => void {
  let cancel = (): void => {}
  return () => {
    cancel()
    const before = document.activeElement
    const hasMoved = (): boolean => document.activeElement !== before && document.activeElement !== document.body
    const observer = new MutationObserver(() => {
      if (hasMoved() || focusHeading()) observer.disconnect()
    })
    const frame = requestAnimationFrame(() => {
      const painted = new MessageChannel()
      cancel = () => painted.port1.close()
      painted.port1.onmessage = () => {
        cancel = () => observer.disconnect()
        if (!hasMoved() && !focusHeading()) observer.observe(document.body, { childList: true, subtree: true })
      }
      painted.port2.postMessage(null)
    })
    cancel = () => cancelAnimationFrame(frame)
  }
}

function focusHeading(): boolean {
  const heading = document.querySelector('h1')
  heading?.focus({ preventScroll: true })
  return heading !== null
}
