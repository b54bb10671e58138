import type { ReplyStream } from '@sluice/http1/reply'
import type { UpstreamResponse } from '../upstream/http1/client.ts'

/**
 * Streams a response body with backpressure.
 * @param over called once, however it ends
 */
export function streamBytes(response: UpstreamResponse, over: () => void): (stream: ReplyStream) => void {
  return (stream) => {
    stream.drained = () => response.resume()
    response.pipe({
      data(bytes) {
        if (!stream.write(bytes)) response.pause()
      },
      end() {
        over()
        stream.end()
      },
      fail() {
        over()
        stream.reset()
      },
    })
  }
}
