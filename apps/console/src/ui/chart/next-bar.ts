/** The bar that a key goes to; `null` = it is another key. @param pointed the bar that is pointed at */
export function nextBar(key: string, pointed: number | null, count: number): number | null {
  const last = count - 1
  if (key === 'Home') return 0
  if (key === 'End') return last
  if (key === 'ArrowLeft') return Math.max(0, (pointed ?? count) - 1)
  if (key === 'ArrowRight') return Math.min(last, (pointed ?? -1) + 1)
  return null
}
