import { type OutgoingProxies, readExceptions, readProxyAddress } from '../lib/outgoing-proxy.ts'
import type { Findings, ReadText } from './variables.ts'

/**
 * Reads HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY in both spellings. As for curl, the one in small letters wins, and ALL_PROXY stands
 * in for the first two. Errors in a proxy's address are reported without the address, because it may contain a password.
 */
export function readProxies(text: ReadText, { problems, warnings }: Findings): OutgoingProxies {
  const either = (name: string): string => text(name.toLowerCase()) || text(name)
  const proxy = (name: string): string | null => {
    const value = either(name)
    const address = value === '' ? null : readProxyAddress(value)
    if (value !== '' && address === null)
      problems.push(`${name} must be an address like http://user:password@host:3128 or socks5://host:1080`)
    return address
  }
  const other = proxy('ALL_PROXY')
  const exceptions = readExceptions(either('NO_PROXY'))
  if (exceptions === null) problems.push('NO_PROXY must have at most 1000 entries and 65536 characters')
  for (const entry of exceptions?.unreadable.slice(0, warnedMax) ?? [])
    warnings.push(`NO_PROXY holds "${entry}", which is neither a host nor a range of addresses and is ignored`)
  return {
    https: proxy('HTTPS_PROXY') ?? other,
    http: proxy('HTTP_PROXY') ?? other,
    other,
    isExcepted: exceptions?.isExcepted ?? (() => false),
  }
}

/** Further unreadable entries are not listed. */
const warnedMax = 10
