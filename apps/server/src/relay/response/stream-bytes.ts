import type { ResponseStream } from '@sluice/http1/response'
import type { Deadline } from '../../lib/deadlines.ts'
import type { UpstreamResponse } from '../upstream/http1/client.ts'

/**
 * Streams a response body with backpressure.
 * @param over called once, however it ends
 */
export function streamBytes(response: UpstreamResponse, over: () => void): (stream: ResponseStream) => void {
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

/** Extends the idle timeout with every chunk. While the client does not read, the timeout is suspended. */
export function movingOn(response: UpstreamResponse, silence: Deadline, nextAt: () => number): UpstreamResponse {
  return {
    status: response.status,
    header: (name) => response.header(name),
    abort: () => response.abort(),
    pipe: (sink) =>
      response.pipe({
        data(bytes) {
          silence.at = nextAt()
          sink.data(bytes)
        },
        end: () => sink.end(),
        fail: (error) => sink.fail(error),
      }),
    pause() {
      silence.at = Number.POSITIVE_INFINITY
      response.pause()
    },
    resume() {
      silence.at = nextAt()
      response.resume()
    },
  }
}

/** Responses are sent as data: browsers must not render them as pages of our origin. */
export const asData = { 'content-security-policy': "sandbox; default-src 'none'" } as const
