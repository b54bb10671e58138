import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

/** Most addresses of the machine that are listed: containers and virtual machines add some that lead nowhere. */
const listedMax = 3

interface Listening {
  readonly host: string
  readonly port: number
}

/** Where a browser reaches a server that listens on a host and a port: on this machine first, then from others. */
export function ownAddresses({ host, port }: Listening): readonly string[] {
  const isEverywhere = host === '0.0.0.0' || host === '::'
  const names = isEverywhere ? ['localhost', ...machineAddresses()] : [host]
  return names.map((name) => `http://${isIP(name) === 6 ? `[${name}]` : name}:${port}`)
}

function machineAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses)
  return all.flatMap(({ family, internal, address }) => (family === 'IPv4' && !internal ? [address] : [])).slice(0, listedMax)
}
