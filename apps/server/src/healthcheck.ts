import { isEveryAddress, type Listening } from './lib/own-addresses.ts'

/** Longest wait for the response: a server that is blocked takes the connection, but says nothing. */
const healthyMs = 5_000

const request = 'GET /livez HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n'

/**
 * Whether the server that listens there (its port is not 0) responds to `/livez` with 200 in time. For container engines: the image has no
 * other program that could send the request.
 */
export async function isHealthy(listening: Listening): Promise<boolean> {
  return /^HTTP\/1\.1 200 .*\r\n\r\n\{"status":"ok"\}$/s.test(await askLive(listening))
}

/** More than the response of a server of ours. */
const responseMax = 4_096

/** @returns the beginning of what came; empty: nothing */
async function askLive({ host, port }: Listening): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let text = ''
  setTimeout(resolve, healthyMs, '')
  for (const hostname of addressesOf(host)) {
    const socket = await Bun.connect({
      hostname,
      port,
      socket: {
        open: (connection) => void connection.write(request),
        data: (_connection, bytes) => {
          text += bytes.toString('latin1')
          if (text.length > responseMax) resolve('')
        },
        close: () => resolve(text),
        error: () => resolve(''),
        connectError: () => {},
      },
    }).catch(() => null)
    if (socket !== null) return await promise
  }
  return ''
}

/** A server on every address is called at the loopback address: of its own kind first, because the other one may be disabled. */
function addressesOf(host: string): readonly string[] {
  if (!isEveryAddress(host)) return [host]
  return host.includes(':') ? ['::1', '127.0.0.1'] : ['127.0.0.1']
}
