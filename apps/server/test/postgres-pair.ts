import { SQL } from 'bun'
import { startFaultProxy } from './fault-proxy.ts'
import { startPostgres } from './postgres-server.ts'
import { until } from './server-process.ts'

/** A PostgreSQL server with a streaming standby, and an address that leads to the one of them that is the primary. */
export interface PostgresPair {
  /** Creates an empty database. @returns its address, which leads to the primary */
  createDatabase(): Promise<string>
  /** Nothing passes to the standby any more. */
  part(): void
  /** Ends the primary for ever. */
  kill(): Promise<void>
  /** Makes the standby the primary, and leads the address to it. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** @param isSynchronous whether each commit waits until the standby has it */
export async function startPostgresPair({ isSynchronous }: { readonly isSynchronous: boolean }): Promise<PostgresPair> {
  const primary = await startPostgres()
  const stream = await startFaultProxy(primary.address)
  const standby = await startPostgres(primary.address, Object.assign(new URL(primary.address), { port: String(stream.port) }).href)
  const address = await startFaultProxy(primary.address)
  const admin = new SQL(primary.address, { max: 1 })
  if (isSynchronous) {
    await admin.unsafe("ALTER SYSTEM SET synchronous_standby_names = '*'")
    await admin.unsafe('SELECT pg_reload_conf()')
  }
  const state = isSynchronous ? 'sync' : 'async'
  await until(async () => {
    const rows = await admin.unsafe("SELECT 1 FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = $1", [state])
    return rows.length === 1
  })
  await admin.close()

  return {
    createDatabase: async () => Object.assign(new URL(await primary.createDatabase()), { port: String(address.port) }).href,
    part: () => stream.arm({ do: 'blackhole', afterBytes: 0 }),
    kill: () => primary.lose(),
    async start() {
      const line = new SQL(standby.address, { max: 1 })
      await line.unsafe('SELECT pg_promote()')
      await line.close()
      address.lead(standby.address)
    },
    async stop() {
      for (const proxy of [address, stream]) proxy.close()
      await Promise.all([primary, standby].map((server) => server.stop()))
    },
  }
}
