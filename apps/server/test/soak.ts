import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatChunk, chatResponse, usageChunk } from './fake-upstream.ts'
import { type Seen, seen } from './fault-scene.ts'
import { numbersFrom } from './numbers-from.ts'
import { prepare, processPassword, runServer, type ServerProcess, startServer } from './server-process.ts'

export interface SoakOptions {
  readonly seconds: number
  /** Requests per second, sent at fixed times whether or not earlier ones have completed. */
  readonly rate: number
  readonly seed: number
}

export interface SoakReport {
  readonly requestCount: number
  /** Counts of unexpected results, by their description. */
  readonly wrong: Readonly<Record<string, number>>
  /** Duration of a response without a stream in milliseconds, including the vendor's. */
  readonly p50: number
  readonly p99: number
  /** Growth of memory in MiB a minute over the second half; meaningful in long runs only. */
  readonly memorySlope: number
  readonly memoryMib: number
  readonly exitCode: number
  /** The output of `verify` afterwards. */
  readonly verified: string
}

/** Kinds of requests and faults, and their share in percent. All others are responses without a stream. */
const shares = { stream: 36, refused: 1, broken: 1, garbage: 1, reset: 1, cut: 1, silent: 1, leaves: 1, wrong: 1 } as const
type Course = keyof typeof shares | 'whole'

const courses: readonly Course[] = Array.from({ length: 100 }, (_, index) => courseAt(index))
const wordsOfStream = 20
const betweenWordsMs = 10

function courseAt(index: number): Course {
  let before = 0
  for (const course of Object.keys(shares)) {
    // Holds: it is a key of `shares`.
    const known = course as keyof typeof shares
    before += shares[known]
    if (index < before) return known
  }
  return 'whole'
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`

/** Responses of the vendor for each prompt of the form `course:nonce`. */
const responses: Readonly<Record<Course, (response: ServerResponse, nonce: string) => unknown>> = {
  whole: (response, nonce) => respond(response, 200, chatResponse(nonce)),
  stream: (response, nonce) => speak(response, { nonce, words: wordsOfStream }),
  leaves: (response, nonce) => speak(response, { nonce, words: wordsOfStream }),
  cut: async (response, nonce) => {
    await speak(response, { nonce, words: 5, isLeftOpen: true })
    response.socket?.resetAndDestroy()
  },
  refused: (response) => respond(response, 429, { error: { message: 'slow down' } }),
  wrong: (response) => respond(response, 400, { error: { message: 'no', type: 'invalid_request_error' } }),
  broken: (response) => respond(response, 500, { error: { message: 'broken' } }),
  garbage: (response) => respond(response, 200, 'garbage'),
  reset: (response) => response.socket?.resetAndDestroy(),
  silent: () => null,
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' }).end(JSON.stringify(body))
}

async function speak(
  response: ServerResponse,
  { nonce, words, isLeftOpen = false }: { readonly nonce: string; readonly words: number; readonly isLeftOpen?: boolean },
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let word = 0; word < words && !response.destroyed; word++) {
    response.write(event(chatChunk({ content: `${nonce} ` })))
    await pause(betweenWordsMs)
  }
  if (!isLeftOpen) response.end(`${event(chatChunk({}, 'stop'))}${event(usageChunk(10, words))}data: [DONE]\n\n`)
}

async function startVendor() {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const bytes of request) body += bytes
    const [, course = '', nonce = ''] = /(\w+):(n\d+n)/.exec(body) ?? []
    // Holds: all prompts are sent by this file.
    await responses[course as Course]?.(response, nonce)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the vendor has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Error codes that a client may get for a vendor's faults. */
const clientErrorCodes = ['upstream_failed', 'upstream_unreachable', 'upstream_reset', 'upstream_timeout', 'upstream_invalid_response']

type Check = (seen: Seen, nonces: readonly string[]) => boolean

const isRefused: Check = ({ status, code }) => status >= 400 && (status < 500 || clientErrorCodes.includes(code ?? ''))

/** Whether a response is the expected one. */
const checks: Readonly<Record<Course, Check>> = {
  whole: ({ status }, nonces) => status === 200 && nonces.length === 1,
  stream: ({ isDone, code }, nonces) => isDone && code === null && nonces.length === wordsOfStream,
  cut: ({ isDone, code }) => !isDone && code === 'upstream_stream_interrupted',
  leaves: () => true,
  refused: isRefused,
  broken: isRefused,
  garbage: isRefused,
  reset: isRefused,
  silent: isRefused,
  wrong: isRefused,
}

/** Describes an unexpected result; `null`: it is as expected. */
function faultOf(course: Course, nonce: string, response: Seen): string | null {
  const nonces = response.text.match(/n\d+n/g) ?? []
  if (nonces.some((other) => other !== nonce)) return "somebody else's answer"
  return checks[course](response, nonces) ? null : `${course}: ${response.status} ${response.code}, ${nonces.length} words`
}

/** Runs a mixed load for some time, then checks the ledger. */
export async function soak({ seconds, rate, seed }: SoakOptions): Promise<SoakReport> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-soak-'))
  const metricsToken = 'a token for the figures'.replaceAll(' ', '-')
  const variables = { DATA_DIR: folder, INITIAL_ROOT_PASSWORD: processPassword }
  const limits = {
    FIRST_BYTE_TIMEOUT_MS: '1000',
    IDLE_TIMEOUT_MS: '2000',
    HEARTBEAT_MS: '500',
    METRICS_TOKEN: metricsToken,
    LOG_LEVEL: 'silent',
  }
  const vendor = await startVendor()
  const server = await startServer({ ...variables, ...limits })
  try {
    const headers = await prepare(server, vendor)
    const load = await runLoad({ server, headers, metricsToken, random: numbersFrom(seed) }, { seconds, rate, seed })
    server.signal('SIGTERM')
    const exitCode = await server.exited
    return { ...load, exitCode, verified: (await runServer(['verify'], variables)).text }
  } finally {
    server.signal('SIGKILL')
    vendor.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Rig {
  readonly server: ServerProcess
  readonly headers: Record<string, string>
  readonly metricsToken: string
  readonly random: () => number
}

async function runLoad(rig: Rig, { seconds, rate }: SoakOptions): Promise<Omit<SoakReport, 'exitCode' | 'verified'>> {
  const wrong: Record<string, number> = {}
  const tookMs: number[] = []
  const memory: number[] = []
  const running: Promise<void>[] = []
  const startMs = performance.now()
  const note = (what: string): void => {
    wrong[what] = (wrong[what] ?? 0) + 1
  }

  async function one(number: number): Promise<void> {
    const course = courses[Math.floor(rig.random() * courses.length)] ?? 'whole'
    const nonce = `n${number}n`
    const requestedMs = performance.now()
    const response = await ask(rig, course, nonce)
    if (course === 'whole') tookMs.push(performance.now() - requestedMs)
    const fault = response === null ? null : faultOf(course, nonce, response)
    if (fault !== null) note(fault)
  }

  const total = Math.round(seconds * rate)
  for (let index = 0; index < total; ) {
    const due = Math.min(total, ((performance.now() - startMs) / 1000) * rate)
    for (; index < due; index++) running.push(one(index).catch((error: unknown) => note(String(error))))
    if (memory.length * 1000 < performance.now() - startMs) memory.push(await memoryOf(rig))
    await pause(5)
  }
  await Promise.all(running)
  tookMs.sort((a, b) => a - b)
  const at = (share: number): number => Math.round((tookMs[Math.floor(tookMs.length * share)] ?? 0) * 10) / 10
  const late = memory.slice(Math.floor(memory.length / 2))
  return {
    requestCount: total,
    wrong,
    p50: at(0.5),
    p99: at(0.99),
    memorySlope: slopeOf(late) * 60,
    memoryMib: Math.round(memory.at(-1) ?? 0),
  }
}

/** `null`: this client did not wait for the end. */
async function ask({ server, headers }: Rig, course: Course, nonce: string): Promise<Seen | null> {
  const isStream = course === 'stream' || course === 'cut' || course === 'leaves'
  const messages = [{ role: 'user', content: `${course}:${nonce}` }]
  const leaves = new AbortController()
  const body = JSON.stringify({ model: 'gpt-4o-mini', stream: isStream, messages })
  const response = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body, signal: leaves.signal })
  if (course !== 'leaves') return await seen(response)
  await response.body?.getReader().read()
  leaves.abort()
  return null
}

/** Memory of the server in MiB, by its own metrics. */
async function memoryOf({ server, metricsToken }: Rig): Promise<number> {
  const page = await (await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })).text()
  return Number(/^sluice_resident_memory_bytes (\d+)/m.exec(page)?.[1] ?? 0) / 1024 / 1024
}

/** Growth from one value to the next, by least squares. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
  const over = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0)
  const under = values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0)
  return under === 0 ? 0 : over / under
}
