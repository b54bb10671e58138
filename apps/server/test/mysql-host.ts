import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { account, freePort, handOver, responses } from './database-host.ts'
import { findMysql } from './mysql-programs.ts'

// Runs a MariaDB or MySQL server until its standard input ends, that is, until the process that started it has ended for any reason. It
// prints the server's address when the server is ready, and deletes its files at the end.

const folder = mkdtempSync(join(tmpdir(), 'sluice-mysql-'))
const data = join(folder, 'data')

const spawned = { cwd: folder, ...account, stdout: 'ignore', stderr: 'pipe' } as const

async function initialise(initialiser: readonly string[]): Promise<void> {
  mkdirSync(data)
  handOver([folder, data])
  const child = Bun.spawn({ ...spawned, cmd: [...initialiser, `--datadir=${data}`] })
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text())
}

/** Nothing is synced to the disk, because the data is deleted after the tests. */
function start(program: string, port: number) {
  const places = [`--datadir=${data}`, `--socket=${join(folder, 'socket')}`, `--pid-file=${join(folder, 'pid')}`, `--tmpdir=${folder}`]
  const settings = ['--bind-address=127.0.0.1', `--port=${port}`, '--innodb-flush-log-at-trx-commit=0', '--character-set-server=utf8mb4']
  return Bun.spawn({ ...spawned, cmd: [program, '--no-defaults', ...places, ...settings], stderr: 'ignore' })
}

const programs = findMysql()
if (programs === null) throw new Error('there is no MariaDB and no MySQL here')
try {
  await initialise(programs.initialiser)
  const port = freePort()
  const server = start(programs.server, port)
  const address = `mysql://root@127.0.0.1:${port}/mysql`
  while (!(await responses(address))) if (server.exitCode !== null) throw new Error(`${programs.server} did not start`)
  console.log(address)
  for await (const _line of console);
  server.kill('SIGKILL')
  await server.exited
} finally {
  rmSync(folder, { recursive: true, force: true })
}
