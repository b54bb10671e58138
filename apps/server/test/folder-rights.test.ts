import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromSources, prepare, processPassword, runServer, startServer, until } from './server-process.ts'

// Servers and commands of other users than the owner of the data folder, as in containers: any uid with group 0, folders that root has made.

/** A command line under another user; needs root and `setpriv` of util-linux. */
const as = (uid: number, gid: number): readonly string[] => [
  ...['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'],
  ...fromSources(),
]

const canChangeUser =
  process.geteuid?.() === 0 &&
  Bun.which('setpriv') !== null &&
  Bun.spawnSync(['setpriv', '--reuid=1000', '--regid=0', '--clear-groups', process.execPath, '--version']).success

const parent = mkdtempSync(join(tmpdir(), 'sluice-rights-'))
chmodSync(parent, 0o755)
afterAll(() => rmSync(parent, { recursive: true, force: true }))

interface Rights {
  readonly uid: number
  readonly gid: number
  readonly mode: number
}

function makeFolder(name: string, { uid, gid, mode }: Rights): string {
  const path = join(parent, name)
  mkdirSync(path)
  chownSync(path, uid, gid)
  chmodSync(path, mode)
  return path
}

/** The folder itself and everything below it: path -> uid. */
function ownersBelow(folder: string): ReadonlyMap<string, number> {
  const names = ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]
  return new Map(names.map((name) => [name, lstatSync(join(folder, name)).uid]))
}

const variablesOf = (folder: string) => ({ DATA_DIR: folder, INITIAL_ROOT_PASSWORD: processPassword })

async function startAndStop(folder: string, program: readonly string[]): Promise<void> {
  const server = await startServer(variablesOf(folder), program)
  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
}

/** Does what a message says to do. */
function runCommandOf(text: string): void {
  const command = /As root, run: (.*)/.exec(text)?.[1] ?? ''
  expect(Bun.spawnSync(['sh', '-ec', command]).success).toBe(true)
}

describe.if(canChangeUser)('a data folder', () => {
  test('of the image can be used by any uid with group 0, and its files are for this uid only', async () => {
    const folder = makeFolder('group', { uid: 65_532, gid: 0, mode: 0o775 })
    await startAndStop(folder, as(1_000_650_000, 0))
    await startAndStop(folder, as(1_000_650_000, 0))
    for (const name of ['sluice.db', 'secret.key']) {
      const { uid, mode } = lstatSync(join(folder, name))
      expect([name, uid, mode & 0o777]).toEqual([name, 1_000_650_000, 0o600])
    }
    const { code, text } = await runServer([], variablesOf(folder), as(1_000_660_000, 0))
    expect(code).toBe(1)
    expect(text).toContain(`${folder}/sluice.db belongs to uid 1000650000, gid 0 (mode 600), and this process has uid 1000660000, gid 0.`)
    runCommandOf(text)
    await startAndStop(folder, as(1_000_660_000, 0))
  }, 120_000)

  test('that root has made is refused with its owner, the own uid, and the command that mends it', async () => {
    const folder = makeFolder('root', { uid: 0, gid: 0, mode: 0o755 })
    for (const words of [[], ['admin', 'list-users'], ['verify'], ['import', 'x.db', '--apply']]) {
      const { code, text } = await runServer(words, variablesOf(folder), as(1_000, 1_000))
      expect([words, code]).toEqual([words, 1])
      expect(text).toContain(`the folder ${folder} (DATA_DIR) cannot be used: ${folder} belongs to uid 0, gid 0 (mode 755)`)
      expect(text).toContain(`and this process has uid 1000, gid 1000. As root, run: chown -R 1000:1000 ${folder}`)
    }
    expect(readdirSync(folder)).toEqual([])
    runCommandOf((await runServer([], variablesOf(folder), as(1_000, 1_000))).text)
    await startAndStop(folder, as(1_000, 1_000))
  }, 120_000)

  test('that cannot be made is refused with the command that makes it, and nothing above it is to be changed', async () => {
    const above = makeFolder('above', { uid: 0, gid: 0, mode: 0o755 })
    const folder = join(above, 'sluice')
    const { code, text } = await runServer([], variablesOf(folder), as(1_000, 1_000))
    expect(code).toBe(1)
    expect(text).toContain(`${above} belongs to uid 0`)
    expect(text).toContain(`run: install -d -o 1000 -g 1000 -m 700 ${folder}`)
    runCommandOf(text)
    await startAndStop(folder, as(1_000, 1_000))
  }, 120_000)

  test('keeps its owner whatever root runs in it, so that the server starts afterwards', async () => {
    const folder = makeFolder('owner', { uid: 1_000, gid: 1_000, mode: 0o700 })
    await startAndStop(folder, as(1_000, 1_000))
    const moved = join(folder, 'moved.db')
    const runs: ReadonlyArray<readonly string[]> = [
      ['verify'],
      ['admin', 'list-users'],
      ['admin', 'backup', join(folder, 'copy'), '--with-key'],
      ['admin', 'rotate-secret', '--yes'],
      ['admin', 'restore', join(folder, 'copy'), '--with-key'],
      ['admin', 'recompute-balances', '--users'],
      ['admin', 'reset-password', 'root'],
      ['import', join(folder, 'copy', 'sluice.db'), '--apply'],
      ['migrate-store', '--from', `sqlite:${join(folder, 'sluice.db')}`, '--to', `sqlite:${moved}`],
    ]
    for (const words of runs) {
      const { text } = await runServer(words, variablesOf(folder))
      expect([words, text, [...ownersBelow(folder)].filter(([, uid]) => uid !== 1_000)]).toEqual([words, text, []])
    }
    await startAndStop(folder, fromSources())
    expect([...ownersBelow(folder)].filter(([, uid]) => uid !== 1_000)).toEqual([])
    await startAndStop(folder, as(1_000, 1_000))
  }, 240_000)

  test('may be empty when root runs a command in it first', async () => {
    const folder = makeFolder('first', { uid: 1_000, gid: 1_000, mode: 0o700 })
    await startAndStop(folder, fromSources())
    expect([...ownersBelow(folder)].filter(([, uid]) => uid !== 1_000)).toEqual([])
    await startAndStop(folder, as(1_000, 1_000))
  }, 120_000)

  test('of a backup that may not be written is named with the command that mends it', async () => {
    const folder = makeFolder('data', { uid: 1_000, gid: 1_000, mode: 0o700 })
    await startAndStop(folder, as(1_000, 1_000))
    const copies = makeFolder('copies', { uid: 0, gid: 0, mode: 0o755 })
    for (const target of [copies, join(copies, 'today')]) {
      const { code, text } = await runServer(['admin', 'backup', target], variablesOf(folder), as(1_000, 1_000))
      expect([code, text]).toEqual([1, expect.stringContaining(`${copies} belongs to uid 0, gid 0 (mode 755)`)])
      runCommandOf(text)
      expect((await runServer(['admin', 'backup', target], variablesOf(folder), as(1_000, 1_000))).code).toBe(0)
      chownSync(copies, 0, 0)
    }
  }, 120_000)
})

/** A command line in a file system that is read-only but for one folder; needs root and `unshare` of util-linux. */
const readOnlyBut = (folder: string): readonly string[] => [
  ...['unshare', '--mount', 'sh', '-ec'],
  'mount --make-rprivate /; mount --bind "$0" "$0"; mount -o remount,bind,ro /; exec "$@"',
  folder,
]

const canMount = process.geteuid?.() === 0 && Bun.which('unshare') !== null && Bun.spawnSync([...readOnlyBut(parent), 'true']).success

describe.if(canMount)('a read-only file system', () => {
  test('with a volume for the data takes large uploads', async () => {
    const folder = makeFolder('volume', { uid: 0, gid: 0, mode: 0o700 })
    const vendor = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json({ text: 'Hello' }) })
    const server = await startServer({ ...variablesOf(folder), TMPDIR: '/' }, [...readOnlyBut(folder), ...fromSources()])
    await until(() => server.printed().includes('temporary files of large requests cannot be written to /: EROFS'))
    const { authorization = '' } = await prepare(server, { url: `http://127.0.0.1:${vendor.port}` }, { models: 'whisper-1' })
    const body = new FormData()
    body.set('model', 'whisper-1')
    body.set('file', new File([new Uint8Array(3 * 1024 * 1024)], 'a.mp3', { type: 'audio/mpeg' }))
    const response = await fetch(`${server.url}/v1/audio/transcriptions`, { method: 'POST', headers: { authorization }, body })
    expect([response.status, await response.json()]).toEqual([200, { text: 'Hello' }])
    server.signal('SIGTERM')
    expect(await server.exited).toBe(0)
    await vendor.stop(true)
  }, 120_000)

  test('without a volume is named, with what to do', async () => {
    const folder = makeFolder('none', { uid: 0, gid: 0, mode: 0o700 })
    const other = makeFolder('elsewhere', { uid: 0, gid: 0, mode: 0o700 })
    const { code, text } = await runServer([], variablesOf(folder), [...readOnlyBut(other), ...fromSources()])
    expect([code, text]).toEqual([
      1,
      expect.stringContaining(`${folder} is on a file system that is read-only; mount a volume at ${folder}`),
    ])
  }, 120_000)
})
