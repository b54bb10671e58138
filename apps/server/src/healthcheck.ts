import { isEveryAddress, type Listening } from './lib/own-addresses.ts'

/** Longest wait for the answer: a server that is blocked takes the connection, but says nothing. */
const healthyMs = 5_000

const request = 'GET /livez HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n'

/** Whether the server that listens there (its port is not 0) answers `/livez` with 200 in time. For container engines: the image has no other program that could ask. */
export async function isHealthy({ host, port }: Listening): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  setTimeout(resolve, healthyMs, false)
  for (const hostname of addressesOf(host)) {
    const socket = await Bun.connect({
      hostname,
      port,
      socket: {
        open: (connection) => void connection.write(request),
        data: (_connection, bytes) => resolve(bytes.toString('latin1').startsWith('HTTP/1.1 200')),
        close: () => resolve(false),
        error: () => resolve(false),
        connectError: () => {},
      },
    }).catch(() => null)
    if (socket !== null) return await promise
  }
  return false
}

/** A server on every address is asked by the loopback address: of its own kind first, because the other one may be switched off. */
function addressesOf(host: string): readonly string[] {
  if (!isEveryAddress(host)) return [host]
  return host.includes(':') ? ['::1', '127.0.0.1'] : ['127.0.0.1']
}
