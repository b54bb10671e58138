import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

/** Most addresses of the machine that are listed: containers and virtual machines add some that lead nowhere. */
const listedMax = 3

/** Where a server listens. */
export interface Listening {
  readonly host: string
  readonly port: number
}

/** Where a browser reaches a server that listens on a host and a port: on this machine first, then from others. */
export function ownAddresses({ host, port }: Listening): readonly string[] {
  const names = isEveryAddress(host) ? ['localhost', ...machineAddresses()] : [host]
  return names.map((name) => `http://${isIP(name) === 6 ? `[${name}]` : name}:${port}`)
}

/** Whether a server with this host listens on every address of the machine. */
export const isEveryAddress = (host: string): boolean =>
  host === '0' || host === '0.0.0.0' || (isIP(host) === 6 && host.replaceAll('0', '').replaceAll(':', '') === '')

function machineAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses)
  return all.flatMap(({ family, internal, address }) => (family === 'IPv4' && !internal ? [address] : [])).slice(0, listedMax)
}
