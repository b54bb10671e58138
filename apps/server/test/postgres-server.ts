import { SQL } from 'bun'
import { startHost } from './database-process.ts'

/** A PostgreSQL server of the tests. */
export interface PostgresServer {
  /** Of its own database. */
  readonly address: string
  /** Of the process below which it runs. */
  readonly pid: number
  /** Creates an empty database, or a copy of the one at this address, which must have no connections. @returns its address */
  createDatabase(model?: string): Promise<string>
  dropDatabase(address: string): Promise<void>
  /** Ends the server at once, as a crash would. */
  kill(): Promise<void>
  /** Ends the server by SIGKILL, for good: it is not started again. */
  lose(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

let shared: Promise<PostgresServer> | null = null

/** One server for all tests of a run, which ends with the run. */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= startPostgres()
  return shared
}

/** @param standbyOf the address of a server of which this one is a standby, and the one where it reads the changes */
export async function startPostgres(...standbyOf: readonly string[]): Promise<PostgresServer> {
  const { address, pid, ask, stop } = await startHost('postgres-host.ts', ...standbyOf)
  const admin = new SQL(address, { max: 1 })
  let count = 0

  return {
    address,
    pid,
    async createDatabase(model) {
      count += 1
      const name = `sluice_${process.pid}_${count}`
      await admin.unsafe(`CREATE DATABASE ${name}${model === undefined ? '' : ` TEMPLATE ${nameIn(model)}`}`)
      return Object.assign(new URL(address), { pathname: `/${name}` }).href
    },
    async dropDatabase(url) {
      await admin.unsafe(`DROP DATABASE IF EXISTS ${nameIn(url)} WITH (FORCE)`)
    },
    kill: () => ask('kill'),
    lose: () => ask('lose'),
    start: () => ask('start'),
    async stop() {
      await admin.close()
      await stop()
    },
  }
}

const nameIn = (address: string): string => new URL(address).pathname.slice(1)
