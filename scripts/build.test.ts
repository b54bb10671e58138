import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

// The executable of `npm run build`, started in an empty folder without any other file of the repository.

const root = join(import.meta.dir, '..')
const executable = join(root, process.platform === 'win32' ? 'dist/sluice.exe' : 'dist/sluice')
const folder = await mkdtemp(join(tmpdir(), 'sluice-build-'))

/** Only the variables that every program needs. */
const environment = (port: string) => ({ PATH: process.env['PATH'] ?? '', HOST: '127.0.0.1', PORT: port, DATA_DIR: join(folder, 'data') })

const start = (args: readonly string[], port: string) =>
  Bun.spawn([executable, ...args], { cwd: folder, env: environment(port), stdout: 'pipe', stderr: 'inherit' })

let server: ReturnType<typeof start> | null = null
let port = ''

/** Reads from the output which port the server listens on. The output stays open, because the server goes on writing to it. */
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

test('serves the console and its scripts, which it contains', async () => {
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

test('has the commands for operators', async () => {
  const listed = start(['admin', 'list-users'], port)
  expect(await new Response(listed.stdout).text()).toContain('\troot\troot\t')
  expect(await listed.exited).toBe(0)
})

test('reports that it is healthy, and that its ledger is consistent', async () => {
  expect(await start(['healthcheck'], port).exited).toBe(0)
  expect(await start(['verify'], port).exited).toBe(0)
})

test('has the command of the import, with its usage', async () => {
  expect(await start(['import'], port).exited).toBe(1)
  expect(await start(['import', join(folder, 'missing.db')], port).exited).toBe(1)
})

test('stops at a signal', async () => {
  server?.kill('SIGTERM')
  expect(await server?.exited).toBe(0)
})

test('copies its database into another one', async () => {
  const places = ['--from', `sqlite:${join(folder, 'data/sluice.db')}`, '--to', `sqlite:${join(folder, 'moved.db')}`]
  expect(await start(['migrate-store', ...places], port).exited).toBe(0)
  expect(await start(['verify', join(folder, 'moved.db')], port).exited).toBe(0)
})

// Budgets of what a browser must fetch, in KB after gzip. A page over its budget usually imports something that only another needs.

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

/** A chunk and all chunks that it imports statically, directly or through others. */
function closure(chunks: Readonly<Record<string, Chunk>>, name: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(name)) return seen
  seen.add(name)
  for (const other of chunks[name]?.imports ?? []) closure(chunks, other, seen)
  return seen
}

/** What each page adds to the frame, which every page needs. */
const pageBudgets: Readonly<Record<string, number>> = {
  'src/features/home/home-page.tsx': 8,
  'src/features/login/login-page.tsx': 8,
  'src/features/account/account-page.tsx': 28,
  'src/features/token/list-page.tsx': 64,
  'src/features/token/form-page.tsx': 78,
  // The list shows the health of channels.
  'src/features/channel/list-page.tsx': 74,
  // Contains the records of vendors, and with them their queries for balances.
  'src/features/channel/form-page.tsx': 92,
  'src/features/log/log-page.tsx': 66,
}

test('the console is a production build, and each page is within its budget', () => {
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
