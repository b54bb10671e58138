import { chownSync } from 'node:fs'

// What the database servers of the tests have in common: each is a process of its own on a free port, in a temporary folder.

/** Database servers refuse to run as root; this account is on every system and owns nothing. */
const nobody = { uid: 65_534, gid: 65_534 } as const

export const isRoot = process.getuid?.() === 0

/** Whom the programs run as. */
export const account = isRoot ? nobody : {}

/** Gives what root has made to the account that the programs run as. */
export function handOver(paths: readonly string[]): void {
  if (isRoot) for (const path of paths) chownSync(path, nobody.uid, nobody.gid)
}

/** Below the ports that systems give to connections: while the server is down for a moment, nobody else is given its port. */
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

/** Whether a server takes queries at this address. */
export async function answers(address: string): Promise<boolean> {
  const client = new Bun.SQL(address, { max: 1 })
  const isThere = await client.unsafe('SELECT 1').then(
    () => true,
    () => false,
  )
  await client.close()
  return isThere
}
