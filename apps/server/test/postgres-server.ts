import { join } from 'node:path'
import { SQL } from 'bun'

/** A PostgreSQL server of the tests. */
export interface PostgresServer {
  /** Makes a database, empty or as the one of this address is, to which nobody is connected. @returns its address */
  createDatabase(model?: string): Promise<string>
  dropDatabase(address: string): Promise<void>
  /** Ends the server at once, as a crash would. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

let shared: Promise<PostgresServer> | null = null

/** One server for all tests of a run; it ends with them. */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= startPostgres()
  return shared
}

export async function startPostgres(): Promise<PostgresServer> {
  const host = Bun.spawn({
    cmd: [process.execPath, join(import.meta.dir, 'postgres-host.ts')],
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  host.unref()
  const lines = linesOf(host.stdout)
  const address = await lines()
  const admin = new SQL(address, { max: 1 })
  let made = 0

  async function ask(line: string): Promise<void> {
    host.stdin.write(`${line}\n`)
    await host.stdin.flush()
    await lines()
  }

  return {
    async createDatabase(model) {
      made += 1
      const name = `sluice_${process.pid}_${made}`
      await admin.unsafe(`CREATE DATABASE ${name}${model === undefined ? '' : ` TEMPLATE ${nameIn(model)}`}`)
      return Object.assign(new URL(address), { pathname: `/${name}` }).href
    },
    async dropDatabase(given) {
      await admin.unsafe(`DROP DATABASE IF EXISTS ${nameIn(given)} WITH (FORCE)`)
    },
    kill: () => ask('kill'),
    start: () => ask('start'),
    async stop() {
      await admin.close()
      host.stdin.end()
      await host.exited
    },
  }
}

const nameIn = (address: string): string => new URL(address).pathname.slice(1)

/** @returns reads the next line */
function linesOf(stream: ReadableStream<Uint8Array>): () => Promise<string> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ''
  return async () => {
    while (!text.includes('\n')) {
      const { done, value } = await reader.read()
      if (done) throw new Error('the PostgreSQL server of the tests has ended')
      text += decoder.decode(value, { stream: true })
    }
    const [line = '', ...rest] = text.split('\n')
    text = rest.join('\n')
    return line
  }
}
