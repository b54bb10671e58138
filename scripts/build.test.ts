import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

// The executable of `npm run build`, started alone in an empty folder, as one would who has nothing but this one file.

const root = join(import.meta.dir, '..')
const executable = join(root, process.platform === 'win32' ? 'dist/sluice.exe' : 'dist/sluice')
const folder = await mkdtemp(join(tmpdir(), 'sluice-build-'))

/** Of our own environment only what a program needs to run at all. */
const environment = (port: string) => ({ PATH: process.env['PATH'] ?? '', HOST: '127.0.0.1', PORT: port, DATA_DIR: join(folder, 'data') })

const start = (args: readonly string[], port: string) =>
  Bun.spawn([executable, ...args], { cwd: folder, env: environment(port), stdout: 'pipe', stderr: 'inherit' })

let server: ReturnType<typeof start> | null = null
let port = ''

/** Port 0 is any free one; the server prints which it took. The output stays open: the server goes on writing to it. */
async function portOf(output: ReadableStream<Uint8Array>): Promise<string> {
  const reader = output.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    text += decoder.decode(value, { stream: true })
    const found = /http:\/\/localhost:(\d+)/.exec(text)?.[1]
    if (found !== undefined) return found
    if (done) throw new Error(`The executable ended before it listened. It printed: ${text}`)
  }
}

beforeAll(async () => {
  const build = Bun.spawn(['node', 'scripts/build.mjs'], { cwd: root, stdout: 'ignore', stderr: 'inherit' })
  expect(await build.exited).toBe(0)
  server = start([], '0')
  port = await portOf(server.stdout)
}, 120_000)

afterAll(async () => {
  server?.kill('SIGKILL')
  await server?.exited
  await rm(folder, { recursive: true, force: true })
})

test('serves the console and its scripts from inside itself', async () => {
  const page = await fetch(`http://127.0.0.1:${port}/`)
  const html = await page.text()
  expect({ status: page.status, type: page.headers.get('content-type') }).toEqual({ status: 200, type: 'text/html; charset=utf-8' })
  const scripts = [...html.matchAll(/<script[^>]+src="([^"]+)"/g)].map(([, path]) => path)
  expect(scripts.length).toBeGreaterThan(0)
  for (const path of scripts) {
    const script = await fetch(`http://127.0.0.1:${port}${path}`)
    expect({ path, status: script.status, type: script.headers.get('content-type') }).toMatchObject({
      path,
      status: 200,
      type: expect.stringContaining('javascript'),
    })
  }
})

test('answers calls', async () => {
  const reply = await fetch(`http://127.0.0.1:${port}/api/status`)
  expect(await reply.json()).toMatchObject({ success: true })
})

test('has the commands of an operator', async () => {
  const listed = start(['admin', 'list-users'], port)
  expect(await new Response(listed.stdout).text()).toContain('\troot\troot\t')
  expect(await listed.exited).toBe(0)
})

test('says that it is well, and that its ledger is', async () => {
  expect(await start(['healthcheck'], port).exited).toBe(0)
  expect(await start(['verify'], port).exited).toBe(0)
})

test('knows the import, and how it is used', async () => {
  expect(await start(['import'], port).exited).toBe(1)
  expect(await start(['import', join(folder, 'missing.db')], port).exited).toBe(1)
})

test('stops when it is told to', async () => {
  server?.kill('SIGTERM')
  expect(await server?.exited).toBe(0)
})

test('moves its database to another place', async () => {
  const places = ['--from', `sqlite:${join(folder, 'data/sluice.db')}`, '--to', `sqlite:${join(folder, 'moved.db')}`]
  expect(await start(['migrate-store', ...places], port).exited).toBe(0)
  expect(await start(['verify', join(folder, 'moved.db')], port).exited).toBe(0)
})

// What a browser must fetch, in KB after gzip. A page over its budget has taken something along that belongs elsewhere.

const consoleFolder = join(root, 'apps/console/dist')

interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
  readonly isDynamicEntry?: boolean
}

const readChunks = (): Readonly<Record<string, Chunk>> => JSON.parse(readFileSync(join(consoleFolder, '.vite/manifest.json'), 'utf8'))

const kilobytes = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(consoleFolder, file)), { level: 9 }).length / 1024, 0)

/** A chunk and all that it cannot do without. */
function closure(chunks: Readonly<Record<string, Chunk>>, name: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(name)) return seen
  seen.add(name)
  for (const other of chunks[name]?.imports ?? []) closure(chunks, other, seen)
  return seen
}

/** What each page adds to the frame, which every visit fetches. */
const pageBudgets: Readonly<Record<string, number>> = {
  'src/features/home/home-page.tsx': 8,
  'src/features/login/login-page.tsx': 8,
  'src/features/account/account-page.tsx': 28,
  'src/features/token/list-page.tsx': 64,
  'src/features/token/form-page.tsx': 78,
  // What requests have found of channels is told in their list.
  'src/features/channel/list-page.tsx': 74,
  // Vendors' records come along, and with them how balances are asked.
  'src/features/channel/form-page.tsx': 92,
  'src/features/log/log-page.tsx': 66,
}

test('the console is a production build that a slow line can carry', () => {
  const chunks = readChunks()
  const files = (names: Iterable<string>): readonly string[] => [...names].map((name) => chunks[name]?.file ?? '')
  const frame = closure(chunks, 'index.html')
  expect(kilobytes(files(frame))).toBeLessThan(175)
  expect(kilobytes(chunks['index.html']?.css ?? [])).toBeLessThan(16)
  const scripts = Object.values(chunks).flatMap(({ file }) => (file.endsWith('.js') ? [file] : []))
  expect(kilobytes(new Set(scripts))).toBeLessThan(620)
  const pages = Object.keys(chunks).filter((name) => /-page\.tsx$/.test(name))
  expect(pages.toSorted()).toEqual(Object.keys(pageBudgets).toSorted())
  for (const [page, budget] of Object.entries(pageBudgets)) {
    const own = [...closure(chunks, page)].filter((name) => !frame.has(name))
    const size = kilobytes(files(own))
    expect({ page, size, isWithin: size < budget }).toEqual({ page, size, isWithin: true })
  }
})
