import { isIpAddress } from './cidr.ts'

/** Longest `Host` field: a name of 253 characters, a final dot, and a port. */
const hostTextMax = 260

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/**
 * The host of a `Host` field without its port, in lower case and without a final dot; international names are in their ASCII form, as
 * browsers send them. `null` = not a host.
 */
export function readHost(text: string | null): string | null {
  if (text === null || text.length > hostTextMax) return null
  const [, address, name = ''] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::\d{1,5})?$/.exec(text.toLowerCase()) ?? []
  if (address !== undefined) return address.includes(':') && isIpAddress(address) ? address : null
  const host = name.endsWith('.') ? name.slice(0, -1) : name
  const labels = host.split('.')
  if (!labels.every((part) => label.test(part))) return null
  // URLs take a name that ends in a number for an IPv4 address in one of several spellings; browsers send only the usual one.
  return /^(?:\d+|0x[\da-f]*)$/.test(labels.at(-1) ?? '') && !isIpAddress(host) ? null : host
}

/** The host of a configured address, as `readHost` writes it; `null` = none. */
export function hostOfAddress(address: string): string | null {
  return readHost(URL.parse(address)?.host ?? null)
}

/** Whether a host is an IP address or localhost: no other site can have pages under such a name. */
export function isAddressOrLocalhost(host: string): boolean {
  return host === 'localhost' || isIpAddress(host)
}
