import { isIP } from 'node:net'

interface Address {
  readonly hostname: string
  readonly port: number
}

/** What an operator can do about each error of bind(2) and listen(2). */
const reasons: Readonly<Record<string, (address: Address) => string>> = {
  EADDRINUSE: ({ port }) => `port ${port} is in use by another program`,
  EADDRNOTAVAIL: ({ hostname }) => `this machine has no address ${hostname}; HOST=0.0.0.0 listens on all that it has`,
  EACCES: ({ port }) => `this user may not use port ${port}; choose one from 1024 on, or give the program CAP_NET_BIND_SERVICE`,
  EAFNOSUPPORT: ({ hostname }) => `this machine has no network for ${hostname}; HOST=0.0.0.0 listens on IPv4`,
  ENOTFOUND: ({ hostname }) => `the name ${hostname} has no address`,
}

/** An error that says why a server cannot listen at an address. Its `code` is that of the system, and `ENOTFOUND` for a name without address. */
export function listenError(address: Address, cause: unknown): Error {
  const code = codeOf(cause) ?? (isIP(address.hostname) === 0 ? 'ENOTFOUND' : 'EINVAL')
  const reason = reasons[code]?.(address) ?? `the system refuses it (${code})`
  const host = isIP(address.hostname) === 6 ? `[${address.hostname}]` : address.hostname
  return Object.assign(new Error(`Failed to listen at ${host}:${address.port}: ${reason}.`, { cause }), { code })
}

/** Bun gives no code where a name has no address. */
function codeOf(cause: unknown): string | null {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : null
}
