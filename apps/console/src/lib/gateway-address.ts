import { withoutTrailingSlashes } from '@sluice/contract'
import { basePath } from './base-path.ts'

/** Address of the gateway if this console is served by another site; empty = the gateway serves it. Set when the console is built. */
const otherGateway: string = withoutTrailingSlashes(import.meta.env?.['VITE_SERVER'] ?? '')

/** Whether this console is served by another site than its gateway. */
export const isElsewhere: boolean = otherGateway !== ''

/** What the addresses of all calls begin with, without a final slash: an address, a path, or nothing. */
export const gatewayAddress: string = otherGateway || basePath

/** Where clients reach the server, unless an administrator has set another address. */
export const gatewayOrigin = (): string => otherGateway || `${location.origin}${basePath}`

/** The address of a path that the server sent. Such a path has the `BASE_PATH` of the server, but not one that only a proxy knows. */
export function gatewayPath(path: string, gateway: string = gatewayAddress): string {
  // Only its path is used.
  const below = new URL(gateway || '/', 'http://localhost').pathname
  return below !== '/' && path.startsWith(`${below}/`) ? `${gateway.slice(0, -below.length)}${path}` : `${gateway}${path}`
}
