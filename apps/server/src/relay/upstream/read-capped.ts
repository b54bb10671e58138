import { ByteQueue } from '@sluice/http1/byte-queue'
import type { UpstreamResponse } from './http1/client.ts'

/** Reads a body up to a size. `isCut`: the rest was not read. @param heard called for every chunk */
export function readCapped(
  response: UpstreamResponse,
  bytesMax: number,
  heard: (bytes: Uint8Array) => void = () => {},
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly isCut: boolean }> {
  return new Promise((resolve, reject) => {
    const came = new ByteQueue()
    // Holds: sockets and decoders return plain buffers.
    const whole = () => came.takeAll() as Uint8Array<ArrayBuffer>
    response.pipe({
      data(bytes) {
        heard(bytes)
        came.push(bytes)
        if (came.byteLength <= bytesMax) return
        resolve({ bytes: whole().subarray(0, bytesMax), isCut: true })
        response.abort()
      },
      end: () => resolve({ bytes: whole(), isCut: false }),
      fail: reject,
    })
  })
}
