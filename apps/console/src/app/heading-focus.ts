/**
 * Makes the function that focuses the heading of a page that was gone to, so that screen readers announce it. It does so once the page has
 * been painted: the focus needs the layout, and computing it at once would make the page appear later. A page that reads its content first
 * has its heading later still. The heading gets no focus if the reader has moved it meanwhile.
 */
export function headingFocus(): () => void {
  let latest = 0
  return () => {
    latest += 1
    const turn = latest
    const before = document.activeElement
    const hasMoved = (): boolean => document.activeElement !== before && document.activeElement !== document.body
    const isOver = (): boolean => turn !== latest || hasMoved() || focusHeading()
    afterPaint(() => {
      if (isOver()) return
      const observer = new MutationObserver(() => {
        if (isOver()) observer.disconnect()
      })
      observer.observe(document.body, { childList: true, subtree: true })
    })
  }
}

/** A message that is sent before a frame is painted comes after it. */
function afterPaint(act: () => void): void {
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = act
    port2.postMessage(null)
  })
}

function focusHeading(): boolean {
  const heading = document.querySelector('h1')
  heading?.focus({ preventScroll: true })
  return heading !== null
}
