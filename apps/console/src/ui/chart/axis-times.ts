/** Few enough times that none covers another. */
const timesMax = 6

/** The part of the room between two times that a time takes at most, on a phone. */
const roomOfTime = 0.7

/** The bars below which the axis says their time. The last ones have none if the end of the axis would cut it. */
export function axisTimes(count: number): readonly number[] {
  const every = Math.max(1, Math.ceil(count / timesMax))
  return Array.from({ length: Math.ceil(count / every) }, (_, index) => index * every).filter((bar) => count - bar >= every * roomOfTime)
}
