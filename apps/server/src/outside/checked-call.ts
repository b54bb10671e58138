import type { Clock } from '../lib/clock.ts'
import type { Deadlines } from '../lib/deadlines.ts'
import { createUpstreamClient, type Outbound } from '../relay/upstream/http1/client.ts'
import { decodeBody } from '../relay/upstream/http1/decode-body.ts'
import { readCapped } from '../relay/upstream/read-capped.ts'
import { type AddressesOf, bytesMax, type OutsideAnswer, type SendCall, timeoutMs } from './call.ts'

interface CheckedDeps {
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly addressesOf: AddressesOf
}

/**
 * Sends calls to URLs from the options, through the relay's HTTP client, which connects to the checked addresses. `fetch` would resolve the
 * name again, and might get another address (DNS rebinding).
 */
export function createCheckedCalls({ clock, deadlines, addressesOf }: CheckedDeps): { readonly send: SendCall; close(): void } {
  const client = createUpstreamClient({ clock, deadlines, addressesOf, mayBeNamed: () => false, ownHop: null })
  return {
    async send({ url, method = 'GET', headers = {}, body, isStatusEnough = false }) {
      const form = body instanceof URLSearchParams ? { 'content-type': 'application/x-www-form-urlencoded' } : {}
      const outbound = client.send({
        method,
        url,
        headers: { 'accept-encoding': 'identity', ...form, ...headers },
        body: body === undefined ? null : String(body),
        isRepeatable: method === 'GET',
        proxy: null,
      })
      return await answerInTime(outbound, deadlines, isStatusEnough)
    },
    close: client.close,
  }
}

async function answerInTime(outbound: Outbound, deadlines: Deadlines, isStatusEnough: boolean): Promise<OutsideAnswer> {
  const late = deadlines.start(timeoutMs, () => outbound.abort())
  try {
    const head = await outbound.response
    if (isStatusEnough) {
      outbound.abort()
      return { status: head.status, text: '', type: '' }
    }
    const response = decodeBody(head)
    if (response === null) throw new Error('unknown content coding')
    const { bytes, isCut } = await readCapped(response, bytesMax)
    if (isCut) throw new Error(`an answer of more than ${bytesMax} bytes`)
    return { status: response.status, text: new TextDecoder().decode(bytes), type: response.header('content-type') ?? '' }
  } finally {
    deadlines.cancel(late)
  }
}
