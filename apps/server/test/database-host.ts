import { chownSync } from 'node:fs'

// Shared parts of the tests' database servers: each is a separate process on a free port, in a temporary folder.

/** The account `nobody`, because database servers refuse to run as root. */
const nobody = { uid: 65_534, gid: 65_534 } as const

export const isRoot = process.getuid?.() === 0

/** The account of the programs. */
export const account = isRoot ? nobody : {}

/** Changes the owner of files that root has created to the account of the programs. */
export function handOver(paths: readonly string[]): void {
  if (isRoot) for (const path of paths) chownSync(path, nobody.uid, nobody.gid)
}

/** Below the ephemeral ports of systems, so that no other program gets the port while the server is down. */
const ports = { first: 15_000, count: 15_000 } as const

export function freePort(): number {
  const port = ports.first + Math.floor(Math.random() * ports.count)
  try {
    Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true)
    return port
  } catch {
    return freePort()
  }
}

/** Whether a server at this address responds to queries. */
export async function responses(address: string): Promise<boolean> {
  const client = new Bun.SQL(address, { max: 1 })
  const isThere = await client.unsafe('SELECT 1').then(
    () => true,
    () => false,
  )
  await client.close()
  return isThere
}
