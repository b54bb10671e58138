import type { UpstreamResponse } from './http1/client.ts'

/** Reads a body up to a size. `isCut`: there was more, which was not read. */
export function readCapped(
  response: UpstreamResponse,
  bytesMax: number,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly isCut: boolean }> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let length = 0
    // Holds: sockets and decoders hand out plain buffers.
    const whole = () => (chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)) as Uint8Array<ArrayBuffer>
    response.pipe({
      data(bytes) {
        chunks.push(bytes)
        length += bytes.length
        if (length <= bytesMax) return
        resolve({ bytes: whole().subarray(0, bytesMax), isCut: true })
        response.abort()
      },
      end: () => resolve({ bytes: whole(), isCut: false }),
      fail: reject,
    })
  })
}
