import { withoutTrailingSlashes } from '@sluice/contract'
import { gatewayOrigin } from './gateway-address.ts'
import { useStatus } from './status.ts'

/** Where clients reach the server, as an administrator has set it or as this page was reached; without a final slash. */
export function useClientOrigin(): string {
  const { server_address: address } = useStatus()
  return withoutTrailingSlashes(address || gatewayOrigin())
}
