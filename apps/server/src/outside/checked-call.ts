import type { Clock } from '../lib/clock.ts'
import type { Deadlines } from '../lib/deadlines.ts'
import { createUpstreamClient, type Outbound } from '../relay/upstream/http1/client.ts'
import { decodeBody } from '../relay/upstream/http1/decode-body.ts'
import type { Outgoing } from '../relay/upstream/http1/peers.ts'
import { readCapped } from '../relay/upstream/read-capped.ts'
import { type AddressesOf, bytesMax, type OutsideResponse, type SendCall, timeoutMs } from './call.ts'

interface CheckedDeps {
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly addressesOf: AddressesOf
  /** Only addresses of the internet are sent to. */
  readonly isPublicOnly?: boolean
  /** Whether a proxy of the environment may resolve an origin's name that is not found here. */
  readonly mayBeNamed: (origin: string) => boolean
  /** The proxies of the environment. */
  readonly outgoing: Outgoing
}

export interface CheckedCalls {
  readonly send: SendCall
  /** Closes all connections. */
  close(): void
}

/**
 * Sends calls through the relay's HTTP client, which connects to the checked addresses, or through the proxies of the environment. `fetch` would
 * resolve the name again, and might get another address (DNS rebinding).
 */
export function createCheckedCalls({ clock, isPublicOnly = false, ...deps }: CheckedDeps): CheckedCalls {
  const { deadlines } = deps
  const client = createUpstreamClient({ ...deps, clock, ownHop: null })
  return {
    async send({ url, method = 'GET', headers = {}, body, isStatusEnough = false, timeoutMs: ms = timeoutMs }) {
      const form = body instanceof URLSearchParams ? { 'content-type': 'application/x-www-form-urlencoded' } : {}
      const outbound = client.send({
        method,
        url,
        headers: { 'accept-encoding': 'identity', ...form, ...headers },
        body: body === undefined ? null : String(body),
        isRepeatable: method === 'GET',
        proxy: null,
        isPublicOnly,
      })
      const late = deadlines.start(ms, () => outbound.abort(`no response within ${ms / 1000} s`))
      return await readResponse(outbound, isStatusEnough).finally(() => deadlines.cancel(late))
    },
    close: client.close,
  }
}

async function readResponse(outbound: Outbound, isStatusEnough: boolean): Promise<OutsideResponse> {
  const head = await outbound.response
  if (isStatusEnough) {
    outbound.abort()
    return { status: head.status, text: '', type: '' }
  }
  const response = decodeBody(head)
  if (response === null) throw new Error('unsupported Content-Encoding')
  const { bytes, isCut } = await readCapped(response, bytesMax)
  if (isCut) throw new Error(`response larger than ${bytesMax} bytes`)
  return { status: response.status, text: new TextDecoder().decode(bytes), type: response.header('content-type') ?? '' }
}
