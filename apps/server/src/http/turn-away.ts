import { setTimeout } from 'node:timers/promises'
import type { HttpServer } from '@sluice/http1/http-server'

/** A request may come by a connection that a balancer took for usable when the port was closed. */
const lastRequestsMs = 100

/**
 * Sends clients elsewhere, and serves them until then. A load balancer learns from /readyz that no further request should come here. One
 * that does not poll it turns to another server when a connection is refused, with a request that it has not sent yet.
 */
export async function turnAway(server: Pick<HttpServer, 'windDown' | 'closePort'>, delayMs: number): Promise<void> {
  server.windDown()
  if (delayMs > 0) await setTimeout(delayMs)
  server.closePort()
  await setTimeout(lastRequestsMs)
}
