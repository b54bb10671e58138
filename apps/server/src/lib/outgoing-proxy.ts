import { isInSubnets, isLoopbackAddress, parseSubnet, type Subnet } from './cidr.ts'
import { readHost } from './read-host.ts'

/** The proxies of the environment, by what they are for. `null` = none. Each is an address, with its credentials. */
export interface OutgoingProxies {
  readonly https: string | null
  readonly http: string | null
  /** For what is neither, such as mail. */
  readonly other: string | null
  /** Whether an origin is reached without a proxy. */
  readonly isExcepted: (origin: URL) => boolean
}

/** The proxy of the environment for an origin; `null` = none. */
export type ProxyFor = (origin: string) => string | null

/** For requests: by the scheme of their origin. */
export function requestProxyFor({ https, http, isExcepted }: OutgoingProxies): ProxyFor {
  if (https === null && http === null) return () => null
  return (origin) => {
    const url = new URL(origin)
    const proxy = url.protocol === 'https:' ? https : http
    return proxy === null || isExcepted(url) ? null : proxy
  }
}

/** For connections of other protocols, as curl does it: only the proxy that is for everything. */
export function connectionProxyFor({ other, isExcepted }: OutgoingProxies): ProxyFor {
  return (origin) => (other === null || isExcepted(new URL(origin)) ? null : other)
}

/** Longest list of exceptions, in characters and in entries. */
const listMax = 64 * 1024
const entriesMax = 1_000

interface Exception {
  /** A name, which stands for all names below it too, or an IP address. */
  readonly host: string
  /** Empty: every port. */
  readonly port: string
}

interface Exceptions {
  readonly isExcepted: (origin: URL) => boolean
  /** Entries that are none. */
  readonly unreadable: readonly string[]
}

/**
 * Reads `NO_PROXY`: entries separated by commas or spaces. `example.com`, `.example.com` and `*.example.com` are the name and all names below
 * it; an address is itself; a range (`10.0.0.0/8`) has the addresses that are written as such, because names are not resolved for it; a port
 * (`example.com:8080`) narrows a name or an address; `*` is everything. This machine is always excepted.
 * @returns `null` if the list is too long
 */
export function readExceptions(list: string): Exceptions | null {
  const entries = list.length > listMax ? null : list.split(/[\s,]+/).filter((entry) => entry !== '')
  if (entries === null || entries.length > entriesMax) return null
  const isEverything = entries.includes('*')
  const ranges: Subnet[] = []
  const hosts: Exception[] = []
  const unreadable: string[] = []
  for (const entry of entries) {
    const range = entry.includes('/') ? parseSubnet(entry) : null
    const exception = range === null ? readException(entry) : null
    if (range !== null) ranges.push(range)
    else if (exception !== null) hosts.push(exception)
    else if (entry !== '*') unreadable.push(entry)
  }
  return {
    unreadable,
    isExcepted(url) {
      const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
      if (isEverything || isThisMachine(host) || isInSubnets(host, ranges)) return true
      const port = url.port || (url.protocol === 'https:' ? '443' : '80')
      return hosts.some((exception) => isMatch(exception, host, port))
    },
  }
}

function readException(entry: string): Exception | null {
  // IPv6 addresses stand without brackets too.
  if (parseSubnet(entry) !== null) return { host: hostnameOf(entry.includes(':') ? `[${entry}]` : entry), port: '' }
  const [, name = '', port = ''] = /^(?:\*?\.)?([^\s/?#@\\*]+?)(?::(\d{1,5}))?$/.exec(entry) ?? []
  const host = hostnameOf(name)
  return host === '' || readHost(name.startsWith('[') ? name : host) === null ? null : { host, port }
}

/** The host in the form of browsers: lower case, international names in ASCII; empty = none. */
function hostnameOf(name: string): string {
  const hostname = URL.parse(`http://${name}`)?.hostname ?? ''
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

function isMatch({ host: excepted, port: exceptedPort }: Exception, host: string, port: string): boolean {
  return (exceptedPort === '' || exceptedPort === port) && (host === excepted || host.endsWith(`.${excepted}`))
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || isLoopbackAddress(host)
}

/** Longest address of a proxy. */
const addressMax = 2_048

/**
 * The address of a proxy in the form of a channel's proxy; without a scheme it is one of HTTP, as for curl.
 * @returns `null` if it is not the address of a proxy
 */
export function readProxyAddress(text: string): string | null {
  if (text.length > addressMax) return null
  const url = URL.parse(text.includes('://') ? text : `http://${text}`)
  if (url === null || url.hostname === '' || (url.pathname !== '' && url.pathname !== '/') || url.search !== '' || url.hash !== '')
    return null
  if (!canDecode(url.username) || !canDecode(url.password)) return null
  // The proxy resolves names either way.
  const scheme = url.protocol === 'socks5h:' ? 'socks5:' : url.protocol
  if (scheme !== 'http:' && scheme !== 'socks5:') return null
  const login = url.username === '' ? '' : `${url.username}:${url.password}@`
  return `${scheme}//${login}${url.host}`
}

function canDecode(text: string): boolean {
  try {
    return decodeURIComponent(text).length <= 255
  } catch {
    return false
  }
}
