import type { UpstreamResponse } from './http1/client.ts'

/** Bytes that may wait for a slow client; then upstream waits too. */
const keptBytesMax = 256 * 1024

/**
 * The body of a response as it comes, and no faster than it is taken.
 * @param over called once, however it ends
 */
export function streamBytes(response: UpstreamResponse, over: () => void): ReadableStream<Uint8Array> {
  let isOver = false
  const finish = (): boolean => {
    if (isOver) return false
    isOver = true
    over()
    return true
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        response.pipe({
          data(bytes) {
            if (isOver) return
            controller.enqueue(bytes)
            if ((controller.desiredSize ?? 0) <= 0) response.pause()
          },
          end() {
            if (finish()) controller.close()
          },
          fail(error) {
            if (finish()) controller.error(error)
          },
        })
      },
      pull: () => response.resume(),
      cancel() {
        finish()
        response.abort()
      },
    },
    { highWaterMark: keptBytesMax, size: (bytes) => bytes?.byteLength ?? 0 },
  )
}
