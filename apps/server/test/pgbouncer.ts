import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { account, freePort, handOver, responses } from './database-host.ts'
import { until } from './server-process.ts'

/** A real PgBouncer, if the machine has one. */
export const pgbouncer = ['/usr/sbin/pgbouncer', Bun.which('pgbouncer') ?? ''].find((path) => path !== '' && existsSync(path)) ?? null

/** PgBouncer in front of a PostgreSQL server. */
export interface PgBouncer {
  /** The address of the database through the pooler. */
  readonly url: string
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/**
 * @param url of the database
 * @param settings besides the way to the server; everything else is as PgBouncer has it itself
 */
export async function startPgBouncer(url: string, settings: Readonly<Record<string, string>> = {}): Promise<PgBouncer> {
  const { hostname, port: serverPort, pathname } = new URL(url)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-pgbouncer-'))
  const port = freePort()
  const own = { listen_addr: '127.0.0.1', listen_port: String(port), auth_type: 'any', unix_socket_dir: '', ...settings }
  const target = `host=${hostname} port=${serverPort} user=postgres`
  const lines = Object.entries(own).map(([name, value]) => `${name} = ${value}`)
  writeFileSync(join(folder, 'pgbouncer.ini'), `[databases]\n* = ${target}\n[pgbouncer]\n${lines.join('\n')}\n`)
  handOver([folder, join(folder, 'pgbouncer.ini')])
  const address = `postgres://postgres@127.0.0.1:${port}${pathname}`
  const run = () =>
    Bun.spawn([pgbouncer ?? '', join(folder, 'pgbouncer.ini')], { cwd: folder, ...account, stdout: 'ignore', stderr: 'ignore' })
  let child = run()
  const ready = (): Promise<void> => until(() => responses(address))
  const end = async (): Promise<void> => {
    child.kill('SIGKILL')
    await child.exited
  }
  await ready()
  return {
    url: address,
    kill: end,
    async start() {
      child = run()
      await ready()
    },
    async stop() {
      await end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
