import type { FieldReader } from '@sluice/http1/fields'
import { isInSubnets, isIpAddress, isLoopbackAddress, type Subnet } from '../lib/cidr.ts'

/**
 * The address of the client. Forwarded addresses are accepted only from proxies that the operator configured, from right to left: the
 * first address that is not a trusted proxy is the client. A hop that cannot be read counts as the proxy that reported it.
 */
export function clientAddress(socketAddress: string, forwardedFor: string | null, trustedProxies: readonly Subnet[]): string {
  let address = plainAddress(socketAddress)
  if (trustedProxies.length === 0 || forwardedFor === null) return address
  let end = forwardedFor.length
  while (end >= 0 && isInSubnets(address, trustedProxies)) {
    const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(',', end - 1)
    const previous = hopAddress(forwardedFor.slice(comma + 1, end))
    if (previous === null) break
    address = previous
    end = comma
  }
  return address
}

/** Fields that proxies add. One of them means that the request may have come from another machine. */
const forwardingFields = [
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-original-forwarded-for',
  'x-envoy-external-address',
  'cf-connecting-ip',
  'cf-ray',
  'cdn-loop',
  'true-client-ip',
  'fastly-client-ip',
  'fly-client-ip',
  ...['for', 'host', 'proto', 'port', 'server', 'prefix', 'ssl', 'scheme', 'by'].map((part) => `x-forwarded-${part}`),
]

/** Whether a proxy shows, and whether `TRUSTED_PROXIES` names it. */
export function proxyBetween(headers: Pick<FieldReader, 'has'>, isTrusted: boolean): 'none' | 'trusted' | 'untrusted' {
  if (isTrusted) return 'trusted'
  return forwardingFields.some((name) => headers.has(name)) ? 'untrusted' : 'none'
}

/** Whether the request was sent on this machine and no proxy shows. */
export function isFromThisMachine(socketAddress: string, headers: Pick<FieldReader, 'has'>): boolean {
  return isLoopbackAddress(plainAddress(socketAddress)) && !forwardingFields.some((name) => headers.has(name))
}

interface OriginRules {
  /** Whether the request came through a configured proxy. */
  readonly isTrusted: boolean
  /** The configured public address of this server; empty = none. */
  readonly publicAddress: string
}

/** Scheme and host of the request, as the client or a trusted proxy reports them. */
export function originOf(
  url: URL,
  headers: FieldReader,
  { isTrusted, publicAddress }: OriginRules,
): { readonly isSecure: boolean; readonly host: string } {
  const proto = isTrusted ? firstOf(headers.get('x-forwarded-proto')) : ''
  const forwardedHost = isTrusted ? forwardedHostOf(headers) : ''
  const host = (forwardedHost === '' ? null : URL.parse(`http://${forwardedHost}`)?.host) ?? url.host
  // A request for the host of an https public address came by https, even if no proxy says so.
  const isSecure = proto === '' ? URL.parse(publicAddress)?.origin === `https://${host}` || url.protocol === 'https:' : proto === 'https'
  return { isSecure, host }
}

/** The text in which the client, or a trusted proxy for it, names the host; `null` = in none. */
export function hostFieldOf(headers: FieldReader, isTrusted: boolean): string | null {
  return (isTrusted && forwardedHostOf(headers)) || headers.get('host')
}

const forwardedHostOf = (headers: FieldReader): string => firstOf(headers.get('x-forwarded-host'))

/** Longest hop: an IPv6 address in brackets with a port, and some spaces. */
const hopTextMax = 128

/** The address of a hop, which some proxies write with a port: `198.51.100.8:40001`, `[2001:db8::1]:443`, `[2001:db8::1]`. */
function hopAddress(text: string): string | null {
  if (text.length > hopTextMax) return null
  const hop = text.trim()
  const [, inBrackets, beforePort] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(hop) ?? []
  const address = inBrackets ?? beforePort ?? hop
  const isRightFamily = inBrackets === undefined || address.includes(':')
  return isRightFamily && isIpAddress(address) ? plainAddress(address) : null
}

function firstOf(list: string | null): string {
  return list?.split(',')[0]?.trim() ?? ''
}

/** Converts an IPv4 address inside IPv6 to IPv4, so that each address has one spelling. */
function plainAddress(address: string): string {
  return address.toLowerCase().startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}
