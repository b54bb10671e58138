import { type RefObject, useEffect, useState } from 'react'

/** Whether an element's content is wider than the element. */
export function useIsWide(element: RefObject<HTMLElement | null>): boolean {
  const [isWide, setWide] = useState(false)
  useEffect(() => {
    const { current } = element
    const content = current?.firstElementChild
    if (current === null || content == null) return
    const observer = new ResizeObserver(() => setWide(current.scrollWidth > current.clientWidth))
    observer.observe(current)
    observer.observe(content)
    return () => observer.disconnect()
  }, [element])
  return isWide
}
