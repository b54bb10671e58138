import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

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

test('says that it is well, and that its ledger is', async () => {
  expect(await start(['healthcheck'], port).exited).toBe(0)
  expect(await start(['verify'], port).exited).toBe(0)
})

test('stops when it is told to', async () => {
  server?.kill('SIGTERM')
  expect(await server?.exited).toBe(0)
})
