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

/** The most that a page and the frame take together, by the name of its file; any other page has the last row. */
const pageBudgets: readonly { readonly file: RegExp; readonly kb: number }[] = [
  // The list of channels names fifty types, and its form also knows their fields.
  { file: /channel\/list-page/, kb: 275 },
  { file: /channel\/form-page/, kb: 280 },
  { file: /(?:list|log)-page/, kb: 250 },
  { file: /(?:form|add|edit|account|register)-page/, kb: 262 },
  { file: /-page/, kb: 210 },
]

test('the console is a production build, and each page is within its budget', () => {
  const chunks = readChunks()
  const files = (names: Iterable<string>): readonly string[] => [...names].map((name) => chunks[name]?.file ?? '')
  const frame = closure(chunks, 'index.html')
  // It has the menu, but no page and no text of one: it does not grow with the number of pages.
  expect(kilobytes(files(frame))).toBeLessThan(190)
  expect(kilobytes(chunks['index.html']?.css ?? [])).toBeLessThan(16)
  const scripts = Object.values(chunks).flatMap(({ file }) => (file.endsWith('.js') ? [file] : []))
  expect(kilobytes(new Set(scripts))).toBeLessThan(620)
  for (const page of Object.keys(chunks).filter((name) => /-page\.tsx$/.test(name))) {
    const budget = pageBudgets.find(({ file }) => file.test(page))?.kb ?? 0
    const size = kilobytes(files(new Set([...frame, ...closure(chunks, page)])))
    expect({ page, size, isWithin: size < budget }).toEqual({ page, size, isWithin: true })
  }
})
