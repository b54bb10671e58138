import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isClosed, until } from '../apps/server/test/server-process.ts'

// Tests the bundled server of `npm start`: its console, its worker threads and modules that are loaded at their first use.

const root = join(import.meta.dir, '..')
const folder = await mkdtemp(join(tmpdir(), 'sluice-start-'))
const accessToken = 'start'.padEnd(40, 'x')

const released = Promise.withResolvers<void>()
const held = Promise.withResolvers<void>()

/** A vendor that reports no usage, so that the server counts the tokens. It holds back the response to one model until it is released. */
const vendor = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    if ((await request.text()).includes('"gpt-4o"')) {
      held.resolve()
      await released.promise
    }
    return Response.json({ id: 'c', choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }] })
  },
})

function start() {
  const env = { ...process.env, HOST: '127.0.0.1', PORT: '0', DATA_DIR: folder, INITIAL_ROOT_ACCESS_TOKEN: accessToken }
  return Bun.spawn(['npm', 'start'], { cwd: root, env, stdout: 'pipe', stderr: 'inherit' })
}

let server: ReturnType<typeof start> | null = null
let url = ''
let output = ''

async function readOutput(stream: ReadableStream<Uint8Array>, listening: (port: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  for await (const bytes of stream) {
    output += decoder.decode(bytes, { stream: true })
    const port = /running: http:\/\/\S+:(\d+)\s/.exec(output)?.[1]
    if (port !== undefined) listening(port)
  }
}

/** Reads a stream until its text is complete, or to its end. */
async function readUntil(stream: ReadableStream<Uint8Array>, isComplete: (text: string) => boolean): Promise<void> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true })
    if (isComplete(text)) return
  }
}

let read: Promise<void> = Promise.resolve()

beforeAll(async () => {
  server = start()
  const { promise, resolve } = Promise.withResolvers<string>()
  read = readOutput(server.stdout, resolve)
  const ended = read.then(() => Promise.reject(new Error(`npm start ended before it listened: ${output}`)))
  url = `http://127.0.0.1:${await Promise.race([promise, ended])}`
  ended.catch(() => {})
}, 180_000)

afterAll(async () => {
  vendor.stop(true)
  server?.kill('SIGKILL')
  await server?.exited
  await rm(folder, { recursive: true, force: true })
})

async function call(path: string, body?: object): Promise<unknown> {
  const headers = { authorization: accessToken, 'content-type': 'application/json' }
  const response = await fetch(url + path, { headers, ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }) })
  const envelope: unknown = await response.json()
  expect(envelope).toMatchObject({ success: true })
  return (envelope as { readonly data: unknown }).data
}

let key = ''

const chat = (model: string): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  })

test('npm start serves the console', async () => {
  const page = await fetch(url)
  const html = await page.text()
  expect(page.status).toBe(200)
  const [, script = ''] = /<script[^>]+src="([^"]+)"/.exec(html) ?? []
  expect((await fetch(url + script)).status).toBe(200)
})

test('npm start relays a call and counts its tokens in its worker thread', async () => {
  const baseUrl = `http://127.0.0.1:${vendor.port}`
  await call('/api/channel/', { name: 'a', type: 1, key: 'k', base_url: baseUrl, models: 'gpt-4o-mini,gpt-4o', group: 'default' })
  const token = (await call('/api/token/', { name: 't', remain_quota: 0, unlimited_quota: true, expired_time: -1 })) as {
    readonly key: string
  }
  key = token.key
  const response = await chat('gpt-4o-mini')
  expect(response.status).toBe(200)
  expect(await call('/api/log/?p=0&type=2')).toMatchObject([{ model_name: 'gpt-4o-mini', completion_tokens: 1 }])
})

test('the server reads .env in the root of its own repository, and not in the folder that it is started in', async () => {
  const clone = join(folder, 'clone')
  await cp(join(root, 'apps/server/dist'), join(clone, 'apps/server/dist'), { recursive: true })
  await writeFile(join(clone, '.env'), `DATA_DIR=${join(folder, 'of-the-clone')}\nHOST=of the file\n`)
  const elsewhere = join(folder, 'elsewhere')
  await mkdir(elsewhere)
  await writeFile(join(elsewhere, '.env'), 'LOG_LEVEL=of another program\n')
  const env = { PATH: process.env['PATH'] ?? '', HOST: '127.0.0.1', PORT: '0' }
  const command = [process.execPath, '--no-orphans', '--no-env-file', join(clone, 'apps/server/dist/main.ts')]
  const own = Bun.spawn(command, { cwd: elsewhere, env, stdout: 'pipe', stderr: 'inherit' })
  let printed = ''
  await readUntil(own.stdout, (text) => {
    printed = text
    return text.includes('Sluice is running')
  })
  own.kill('SIGTERM')
  expect(await own.exited).toBe(0)
  expect(printed).toContain(`Variables not set in the environment are read from ${join(clone, '.env')}`)
  expect(existsSync(join(folder, 'of-the-clone/sluice.db'))).toBe(true)
}, 60_000)

test('npm start stops at a signal to npm once running responses have ended, without having reported an error', async () => {
  const response = chat('gpt-4o')
  await held.promise
  server?.kill('SIGTERM')
  // The shell between npm and the server may end with the signal, and npm with it.
  expect([0, 143]).toContain((await server?.exited) ?? -1)
  const port = Number(new URL(url).port)
  await until(() => isClosed(port))
  released.resolve()
  expect((await response).status).toBe(200)
  // The output ends when the last process has ended.
  await read
  expect(output.split('\n').filter((line) => /"level":[56]0/.test(line))).toEqual([])
})
