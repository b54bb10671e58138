import { type RefObject, useEffect, useState } from 'react'

/** Whether something holds more than its width shows. */
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
