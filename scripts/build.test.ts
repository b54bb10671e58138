import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepare, processPassword, startServer } from '../apps/server/test/server-process.ts'
import { builtExecutable } from './built-executable.ts'

// The executable of `npm run build`, started in an empty folder without any other file of the repository.

const folder = await mkdtemp(join(tmpdir(), 'sluice-build-'))
let executable = ''

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
    const port = /running: http:\/\/\S+:(\d+)\s/.exec(text)?.[1]
    if (port !== undefined) return port
    if (done) throw new Error(`The executable ended before it listened. It printed: ${text}`)
  }
}

beforeAll(async () => {
  executable = await builtExecutable()
  // What another program may have in the folder: the server would not start with this variable.
  await writeFile(join(folder, '.env'), 'LOG_LEVEL=of another program\n')
  await writeFile(join(folder, 'bunfig.toml'), 'preload = ["./preloaded.ts"]\n')
  await writeFile(join(folder, 'preloaded.ts'), `await Bun.write(${JSON.stringify(join(folder, 'ran'))}, '')\n`)
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

test('reads and runs nothing of the folder that it is started in, and reads the file that --env-file names', async () => {
  expect(existsSync(join(folder, 'ran'))).toBe(false)
  const named = start(['--env-file', '.env'], port)
  expect(await new Response(named.stdout).text()).toBe('')
  expect(await named.exited).toBe(1)
})

test('responds to calls', async () => {
  const response = await fetch(`http://127.0.0.1:${port}/api/status`)
  expect(await response.json()).toMatchObject({ success: true })
})

test('asks for a passkey, whose library is loaded at the first use', async () => {
  const url = `http://localhost:${port}`
  const response = await fetch(`${url}/api/user/login/passkey/begin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: '{}',
  })
  expect(await response.json()).toMatchObject({ success: true, data: { challenge: expect.any(String) } })
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

test('ends by its watchdog, whose thread it contains, when its event loop is blocked', async () => {
  const variables = { DATA_DIR: join(folder, 'blocked'), INITIAL_ROOT_PASSWORD: processPassword, WATCHDOG_MS: '1000' }
  const blocked = await startServer({ ...variables, FAIL_AT: 'hold-asked:1:block' }, [executable])
  const headers = await prepare(blocked, { url: 'http://127.0.0.1:9' })
  const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
  await expect(fetch(`${blocked.url}/v1/chat/completions`, { method: 'POST', headers, body })).rejects.toThrow()
  expect(await blocked.exited).toBe(70)
  expect(blocked.printed()).toContain('event loop blocked, ending the process')
}, 30_000)

test('lists its commands, prints its version, and refuses what is no command', async () => {
  const listed = start(['--help'], port)
  expect(await new Response(listed.stdout).text()).toContain('Usage: sluice [COMMAND]')
  expect(await listed.exited).toBe(0)
  expect(await new Response(start(['--version'], port).stdout).text()).toMatch(/^Sluice v\d+\.\d+\.\d+\n$/)
  expect(await start(['adminn'], port).exited).toBe(1)
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
