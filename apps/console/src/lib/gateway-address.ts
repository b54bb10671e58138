import { withoutTrailingSlashes } from '@sluice/contract'

/** Address of the server whose console this is; empty = the page's own origin. Set when the console is built, without a final slash. */
export const gatewayAddress: string = withoutTrailingSlashes(import.meta.env?.['VITE_SERVER'] ?? '')

/** Where clients reach the server, unless an administrator has set another address. */
export const gatewayOrigin = (): string => gatewayAddress || location.origin
