import { AppError } from '../lib/app-error.ts'
import { PrivateAddress } from '../lib/forbidden-address.ts'

/** The error for a service that gave no response, or to which no request is sent because its private network is not allowed. */
export function unreachable(service: string, cause: unknown): AppError {
  return new AppError(cause instanceof PrivateAddress ? 'service_address_private' : 'service_unreachable', { params: { service }, cause })
}
