import type { Received } from '@sluice/http1/received'
import { AppError } from '../../lib/app-error.ts'

/** Names the servers of this product that a request has passed on its way to a vendor, each by an id of its process (as RFC 8586 does for CDNs). */
export const hopHeader = 'x-sluice-hop'

const form = /^[A-Za-z0-9]{1,32}(?:, ?[A-Za-z0-9]{1,32})*$/
/** Most servers in a row. */
const hopsMax = 8

/**
 * The servers that a request has passed, to be named again to the next one; empty = none. An address cannot show every loop: there may be a
 * balancer, a forwarded port or another server in between.
 * @throws AppError loop_detected where this one is among them
 */
export function hopsOf({ headers }: Pick<Received, 'headers'>, own: string): string {
  const given = headers.get(hopHeader)
  if (given === null || !form.test(given)) return ''
  const passed = given.split(/, ?/)
  if (passed.includes(own) || passed.length >= hopsMax) throw new AppError('loop_detected')
  return given
}

/** The same with this server behind them. */
export function hopsWith(passed: string, own: string): string {
  return passed === '' ? own : `${passed}, ${own}`
}
