/** Waits for some work, but no longer than a limit; the work goes on all the same. */
export async function atMost(limitMs: number, work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, limitMs)
  await Promise.race([work, promise])
  clearTimeout(timer)
}
