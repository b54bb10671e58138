import { parseUrl } from './parse-url.ts'

/** Most hosts on the list of private upstreams. */
export const privateHostsMax = 1_000

/** A name of DNS has at most 253 characters, and a port five. */
const lengthMax = 260

/** Whether a text names a host of a private network: `host`, `host:port` or a range of addresses, in the form in which URLs have it. */
export function isPrivateHost(text: string): boolean {
  if (text.length > lengthMax) return false
  const [address = '', bits, ...rest] = text.split('/')
  if (rest.length > 0) return false
  if (bits !== undefined) return isRange(address, bits)
  const { host, port } = splitPort(text)
  return isHost(host) && (port === '' || (/^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535))
}

/** The port of `host:port`; empty = none. An IPv6 address has brackets. */
function splitPort(text: string): { readonly host: string; readonly port: string } {
  const at = text.lastIndexOf(':')
  return at <= text.lastIndexOf(']') ? { host: text, port: '' } : { host: text.slice(0, at), port: text.slice(at + 1) }
}

/** Whether a URL would have the host unchanged. */
const isHost = (host: string): boolean => host !== '' && !/[@?#\\]/.test(host) && parseUrl(`http://${host}/`)?.hostname === host

function isRange(address: string, bits: string): boolean {
  if (!/^\d{1,3}$/.test(bits)) return false
  if (address.includes(':')) return Number(bits) <= 128 && isHost(`[${address}]`)
  return Number(bits) <= 32 && /^\d+\.\d+\.\d+\.\d+$/.test(address) && isHost(address)
}
