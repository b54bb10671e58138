import { isIP } from 'node:net'

/** A forwarding proxy. The proxy resolves names: which addresses it connects to is decided by its operator. */
export interface Proxy {
  readonly scheme: 'http' | 'socks5'
  readonly host: string
  readonly port: number
  /** Of its credentials; empty: none. */
  readonly user: string
  readonly password: string
}

/** The messages that open a tunnel through a proxy. */
export interface Handshake {
  /** Sent first. */
  readonly hello: Uint8Array
  /** Handles the proxy's bytes and returns the next message, `more` to wait for more bytes, or `open`. @throws Error if refused */
  push(bytes: Uint8Array): Uint8Array | 'more' | 'open'
}

interface Destination {
  readonly host: string
  readonly port: number
}

const defaultPorts = { http: 80, socks5: 1080 } as const

/** @throws TypeError for an invalid address */
export function parseProxy(address: string): Proxy {
  const { protocol, hostname, port, username, password } = new URL(address)
  const scheme = protocol === 'socks5:' ? 'socks5' : 'http'
  return {
    scheme,
    host: hostname,
    port: port === '' ? defaultPorts[scheme] : Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  }
}

/** Maximum bytes of a proxy's response. */
const responseBytesMax = 16 * 1024

export function handshakeWith(proxy: Proxy, to: Destination): Handshake {
  return proxy.scheme === 'http' ? connectHandshake(proxy, to) : socksHandshake(proxy, to)
}

/** CONNECT (RFC 9110, 9.3.6) with Basic credentials (RFC 7617). */
function connectHandshake({ user, password }: Proxy, { host, port }: Destination): Handshake {
  const authority = `${host}:${port}`
  const login = user === '' ? '' : `proxy-authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}\r\n`
  let response = ''
  return {
    hello: Buffer.from(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${login}\r\n`),
    push(bytes) {
      response += Buffer.from(bytes).toString('latin1')
      if (response.length > responseBytesMax) throw new Error('the response of the proxy is too long')
      const end = response.indexOf('\r\n\r\n')
      if (end === -1) return 'more'
      const status = /^HTTP\/1\.[01] (\d{3})/.exec(response)?.[1] ?? ''
      if (!status.startsWith('2')) throw new Error(`the proxy returned ${status === '' ? 'a response that is not HTTP' : status}`)
      if (response.length > end + 4) throw new Error('the proxy sent data before the request')
      return 'open'
    },
  }
}

/** SOCKS5 (RFC 1928) with username and password (RFC 1929). */
function socksHandshake({ user, password }: Proxy, to: Destination): Handshake {
  const method = user === '' ? 0 : 2
  const hello = { request: Buffer.from([5, 1, method]), response: [5, method] }
  const login = { request: socksLogin(user, password), response: [1, 0] }
  const connect = { request: socksConnect(to), response: null }
  /** The messages in order; before the next one, the proxy must send the two bytes of its response. */
  const steps = method === 0 ? [hello, connect] : [hello, login, connect]
  let known = Buffer.alloc(0)
  let at = 0
  return {
    hello: hello.request,
    push(bytes) {
      known = Buffer.concat([known, bytes])
      if (known.length > responseBytesMax) throw new Error('the response of the proxy is too long')
      const response = steps[at]?.response ?? null
      if (response === null) return socksResponse(known)
      if (known.length < 2) return 'more'
      if (known[0] !== response[0] || known[1] !== response[1]) throw new Error('the proxy refused the login')
      known = known.subarray(2)
      at += 1
      return steps[at]?.request ?? 'more'
    },
  }
}

function socksLogin(user: string, password: string): Buffer {
  const [name, secret] = [Buffer.from(user), Buffer.from(password)]
  return Buffer.concat([Buffer.from([1, name.length]), name, Buffer.from([secret.length]), secret])
}

function socksConnect({ host, port }: Destination): Buffer {
  return Buffer.concat([Buffer.from([5, 1, 0]), socksAddress(host), Buffer.from([port >> 8, port & 0xff])])
}

function socksAddress(host: string): Buffer {
  const literal = host.replace(/^\[|\]$/g, '')
  switch (isIP(literal)) {
    case 4:
      return Buffer.from([1, ...literal.split('.').map(Number)])
    case 6:
      return Buffer.from([4, ...bytesOfIpv6(literal)])
    default:
      return Buffer.concat([Buffer.from([3, Buffer.byteLength(literal)]), Buffer.from(literal)])
  }
}

/** Parses an address as the URL parser writes it: no dotted part, at most one `::`. */
function bytesOfIpv6(address: string): readonly number[] {
  const [head = '', tail] = address.split('::')
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'))
  const before = groups(head)
  const after = tail === undefined ? [] : groups(tail)
  const gap = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...gap, ...after].flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}

/** Length of the address that ends a response, by its type; a name has a length byte. */
const addressBytes: Readonly<Record<number, number>> = { 1: 4, 4: 16 }

function socksResponse(known: Buffer): 'more' | 'open' {
  const [version, response, , type = 0, nameLength = 0] = known
  if (known.length < 5) return 'more'
  if (version !== 5 || response !== 0) throw new Error(`the proxy could not connect (${response})`)
  const length = 4 + (addressBytes[type] ?? 1 + nameLength) + 2
  if (known.length > length) throw new Error('the proxy sent data before the request')
  return known.length < length ? 'more' : 'open'
}
