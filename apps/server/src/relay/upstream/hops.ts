import type { IncomingRequest } from '@sluice/http1/incoming-request'
import { AppError } from '../../lib/app-error.ts'

/** Lists the Sluice servers that a request has passed on its way to a vendor, each by its process id, as RFC 8586 does for CDNs. */
export const hopHeader = 'x-sluice-hop'

const form = /^[A-Za-z0-9]{1,32}(?:, ?[A-Za-z0-9]{1,32})*$/
/** Maximum number of servers in a row. */
const hopsMax = 8

/**
 * The servers that a request has passed, to be forwarded to the next one; empty: none. Addresses cannot reveal every loop: there may be a
 * load balancer, a forwarded port or another server in between.
 * @throws AppError loop_detected if this server is among them
 */
export function hopsOf({ headers }: Pick<IncomingRequest, 'headers'>, own: string): string {
  const header = headers.get(hopHeader)
  if (header === null || !form.test(header)) return ''
  const passed = header.split(/, ?/)
  if (passed.includes(own) || passed.length >= hopsMax) throw new AppError('loop_detected')
  return header
}

/** The list of servers that a request has passed, with this one appended. */
export function hopsWith(passed: string, own: string): string {
  return passed === '' ? own : `${passed}, ${own}`
}
