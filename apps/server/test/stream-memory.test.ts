import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatChunk, type FakeUpstream, type Script, startFakeUpstream } from './fake-upstream.ts'
import { follow } from './fault-scene.ts'
import { prepare, processPassword, type ServerProcess, startServer, until } from './server-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-prompts-'))
let upstream: FakeUpstream
let server: ServerProcess
let headers: Record<string, string>
beforeAll(async () => {
  upstream = await startFakeUpstream()
  server = await startServer({ DATA_DIR: folder, INITIAL_ROOT_PASSWORD: processPassword })
  headers = await prepare(server, upstream)
})
afterAll(async () => {
  server.signal('SIGTERM')
  await server.exited
  await upstream.close()
  rmSync(folder, { recursive: true, force: true })
})

const chunk = (text: string, finish: string | null = null) => `data: ${JSON.stringify(chatChunk({ content: text }, finish))}\n\n`
const stream: Script = [
  { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } },
  { do: 'send', bytes: chunk('begun') },
  { do: 'wait', name: 'the end' },
  { do: 'send', bytes: `${chunk('last', 'stop')}data: [DONE]\n\n` },
]

/** @param pid of a running process */
function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

const prompt = 'All work and no play makes Jack a dull boy. '.repeat(Math.ceil((1024 * 1024) / 44))

async function begin(index: number) {
  upstream.script(stream)
  const body = JSON.stringify({ model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content: `${index} ${prompt}` }] })
  const response = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body })
  const followed = follow(response)
  await until(() => followed.text().includes('begun'))
  return followed
}

/** Only Linux shows the memory of a process in /proc. */
test.skipIf(process.platform !== 'linux')(
  'streams do not keep their prompts in memory: 60 of 1 MB add less than 40 MB',
  async () => {
    const first = await begin(0)
    const before = residentMegabytes(server.pid)
    const streams = [first]
    for (let index = 1; index <= 60; index += 1) streams.push(await begin(index))
    await until(() => residentMegabytes(server.pid) - before < 40)
    upstream.release('the end')
    for (const { ended } of streams) expect((await ended).isDone).toBe(true)
  },
  120_000,
)

test.skipIf(process.platform !== 'linux')(
  'comments of a vendor before its first event are not buffered: 48 MB of short ones add less than 64 MB',
  async () => {
    const comments = ':\n\n'.repeat(349_525)
    upstream.script([
      { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } },
      ...Array.from({ length: 48 }, () => ({ do: 'send', bytes: comments }) as const),
      { do: 'send', bytes: `${chunk('begun', 'stop')}data: [DONE]\n\n` },
    ])
    const before = residentMegabytes(server.pid)
    let most = 0
    let isOver = false
    const body = JSON.stringify({ model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content: 'hi' }] })
    const responded = fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body }).then(async (response) => {
      const seen = await follow(response).ended
      isOver = true
      return seen
    })
    await until(() => {
      most = Math.max(most, residentMegabytes(server.pid) - before)
      return isOver
    })
    expect(await responded).toMatchObject({ status: 200, isDone: true })
    expect(most).toBeLessThan(64)
  },
  120_000,
)
