import { createHmac } from 'node:crypto'
import { AppError } from '../lib/app-error.ts'
import type { SendCall } from './call.ts'
import { unreachable } from './unreachable.ts'

export interface WebhookMessage {
  readonly url: string
  readonly secret: string
  /** Stays equal over all attempts, so that the receiver can recognize repetitions. */
  readonly deliveryId: string
  /** JSON. */
  readonly body: string
  /** Seconds since the epoch, which are signed with the body, so that an old message cannot be sent again by somebody else. */
  readonly now: number
  readonly reach: Reach
}

/** To which addresses a message may go: any but forbidden ones, in private networks only hosts that root allows, or the internet only. */
export type Reach = 'anywhere' | 'allowed' | 'internet'

/** Posts a message to an address that a user entered. @throws AppError service_unreachable, service_address_private, webhook_rejected */
export type SendWebhook = (message: WebhookMessage) => Promise<void>

interface WebhookDeps {
  /** All check addresses at connect time. */
  readonly sends: Readonly<Record<Reach, SendCall>>
}

/** The signature: `t`, the seconds that are signed, and `v1`, an HMAC-SHA256 in hexadecimal of these seconds, a dot and the body. */
export function createSendWebhook({ sends }: WebhookDeps): SendWebhook {
  return async ({ url, secret, deliveryId, body, now, reach }) => {
    const signature = createHmac('sha256', secret).update(`${now}.${body}`).digest('hex')
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Sluice',
      'x-sluice-delivery': deliveryId,
      'x-sluice-signature': `t=${now},v1=${signature}`,
    }
    const { status } = await sends[reach]({ url, method: 'POST', headers, body, isStatusEnough: true }).catch((cause: unknown) => {
      throw unreachable(new URL(url).host, cause)
    })
    if (status < 200 || status > 299) throw new AppError('webhook_rejected', { params: { status } })
  }
}
