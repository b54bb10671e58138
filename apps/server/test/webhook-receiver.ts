import { createHmac } from 'node:crypto'

export interface ReceivedWebhook {
  readonly deliveryId: string
  readonly signature: string
  readonly body: string
}

/** A server that receives webhooks, on loopback. */
export interface WebhookReceiver {
  readonly url: string
  readonly received: readonly ReceivedWebhook[]
  /** Responds to the next ones with this status. */
  response(status: number): void
  close(): Promise<void>
}

export function startWebhookReceiver(): WebhookReceiver {
  const received: ReceivedWebhook[] = []
  let status = 200
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const header = (name: string): string => request.headers.get(name) ?? ''
      received.push({
        deliveryId: header('x-sluice-delivery'),
        signature: header('x-sluice-signature'),
        body: await request.text(),
      })
      return new Response('a word that no history may have', { status })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/hooks/a-secret-path`,
    received,
    response(next) {
      status = next
    },
    close: () => server.stop(true),
  }
}

/** Verifies as a receiver does. @returns the seconds since the epoch that were signed; `null` = the signature is wrong */
export function verifyWebhook({ signature, body }: ReceivedWebhook, secret: string): number | null {
  const [, time = '', signatureHex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? []
  return createHmac('sha256', secret).update(`${time}.${body}`).digest('hex') === signatureHex ? Number(time) : null
}
