import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { type Attack, atOnce, formBoundary } from '../../../../packages/http1/attack/attacks.ts'
import { type Call, flood, headOf, type Target } from '../../../../packages/http1/attack/client.ts'

const mebi = 1024 * 1024
/** A little less than `BODY_BYTES_MAX`. */
const nearlyMax = 31.5 * mebi

/** Attacks on the gateway with complete request bodies. */
export function bodyAttacks(): readonly Attack[] {
  return [...packed(), ...valid(), ...forms()]
}

/** Sends a request with a complete body, and waits for its response. */
function post(call: (target: Target) => Call, body: Uint8Array, fields: readonly string[] = []): (target: Target) => Promise<void> {
  return (target) =>
    flood(target, {
      head: headOf('POST', call(target), [`content-length: ${body.length}`, 'connection: close', ...fields]),
      piece: body,
      times: 1,
      reads: true,
      stayMs: 15_000,
    })
}

const chatCall = ({ bodies }: Target): Call => bodies['a chat'] ?? { path: '/', fields: [] }
const strange = (target: Target): Call => ({
  ...chatCall(target),
  fields: ['content-type: application/json', 'authorization: Bearer sk-x'],
})
const formCall = ({ bodies }: Target): Call => bodies['a form with a file'] ?? { path: '/', fields: [] }

function chatOf(content: string): string {
  return `{"model":"gpt-4o-mini","messages":[{"role":"user","content":"${content}"}]}`
}

/** A text that every coding compresses to about a nineteenth, which is just below the limit of compression bombs. */
function dense(bytes: number): string {
  const pieces: string[] = []
  for (let length = 0, seed = 1; length < bytes; length += 1_024) {
    let noise = ''
    while (noise.length < 68) {
      seed = (seed * 48_271) % 2_147_483_647
      noise += seed.toString(36)
    }
    pieces.push(noise.slice(0, 68).padEnd(1_024, 'a'))
  }
  return pieces.join('')
}

const encoders: Readonly<Record<string, (bytes: Uint8Array) => Buffer>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 } }),
  zstd: (bytes) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_windowLog]: 23 } }),
}

function packed(): readonly Attack[] {
  const zeros = Buffer.alloc(nearlyMax, '0')
  const chat = Buffer.from(chatOf(dense(nearlyMax - 1_000)))
  return Object.entries(encoders).flatMap(([coding, encode]) => {
    const fields = [`content-encoding: ${coding}`]
    let [bomb, large]: Array<Buffer | null> = [null, null]
    const bombs = (target: Target): Promise<void> => {
      bomb ??= encode(zeros)
      return post(chatCall, bomb, fields)(target)
    }
    const chats = (call: typeof chatCall) => (target: Target) => {
      large ??= encode(chat)
      return post(call, large, fields)(target)
    }
    return [
      { name: `packed: a bomb in ${coding}`, run: bombs },
      atOnce(`packed: bombs in ${coding} on 32 connections`, 32, bombs),
      { name: `packed: a chat of 31 MiB in ${coding}`, run: chats(chatCall), limits: aloneLimits },
      many(`packed: chats of 31 MiB in ${coding} on 32 connections`, 32, chats(chatCall)),
      atOnce(`packed: chats of 31 MiB in ${coding} on 32 connections without a token`, 32, chats(strange)),
    ]
  })
}

/** `BODIES_BYTES_MAX` plus 64 MiB. */
const manyLimits = { memoryMib: 128 + 64, delayMs: 250 }

/** An attack from many connections, which share the memory of all bodies. */
function many(name: string, connections: number, one: (target: Target) => Promise<void>): Attack {
  return { ...atOnce(name, connections, one), limits: manyLimits }
}

/** A complete body is in memory twice until a vendor responds: as parsed values, and as the text that is sent. */
const aloneLimits = { memoryMib: 2 * 32 + 64, delayMs: 250 }
/** One character beyond Latin-1 makes each character of a text use two bytes, which is known only when the body is complete. */
const wideName = 'one long text with a character beyond Latin'
const wideLimits = { alone: { memoryMib: 4 * 32 + 64, delayMs: 250 }, many: { memoryMib: 10 * 32 + 64, delayMs: 250 } }
/** What the lists take is known when a body is parsed. */
const listsName = 'very many deep lists'
const listsLimits = { alone: aloneLimits, many: { memoryMib: manyLimits.memoryMib + 2 * 16, delayMs: 250 } }

function nested(depth: number, inside: string): string {
  return '['.repeat(depth) + inside + ']'.repeat(depth)
}

/** Valid chats of nearly the largest size, by their structure. */
const validChats: Readonly<Record<string, () => string>> = {
  'one long text': () => chatOf('x'.repeat(nearlyMax)),
  [wideName]: () => chatOf(`\u4e16${'x'.repeat(nearlyMax - 10)}`),
  'one long text of Chinese characters': () => chatOf('\u4e16'.repeat(nearlyMax / 3)),
  'one long text of escapes': () => chatOf('\\u4e16'.repeat(nearlyMax / 6)),
  'very many messages': () => {
    const one = `{"role":"user","content":"${'x'.repeat(360)}"}`
    return `{"model":"gpt-4o-mini","messages":[${Array.from({ length: 80_000 }, () => one).join(',')}]}`
  },
  'very many members': () => {
    const members = Array.from({ length: 160_000 }, (_, at) => `"name-${at}-${'x'.repeat(150)}":1`)
    return `${chatOf('x').slice(0, -1)},"metadata":{${members.join(',')}}}`
  },
  [listsName]: () => {
    const lists = Array.from({ length: 4_000 }, () => nested(56, `"${'x'.repeat(7_500)}"`))
    return `${chatOf('x').slice(0, -1)},"metadata":{"a":[${lists.join(',')}]}}`
  },
}

const ownLimits: Readonly<Record<string, typeof wideLimits>> = { [wideName]: wideLimits, [listsName]: listsLimits }

function valid(): readonly Attack[] {
  return Object.entries(validChats).flatMap(([name, text]) => {
    let body: Buffer | null = null
    const one = (target: Target): Promise<void> => {
      body ??= Buffer.from(text())
      return post(chatCall, body)(target)
    }
    const limits = ownLimits[name] ?? { alone: aloneLimits, many: manyLimits }
    return [
      { name: `valid: a chat of 31 MiB: ${name}`, run: one, limits: limits.alone },
      { ...atOnce(`valid: chats of 31 MiB on 8 connections: ${name}`, 8, one), limits: limits.many },
    ]
  })
}

/** 64 MiB and, for each connection, one read of 512 KiB, its copy for the parser and what waits for the disk. */
const formLimits = { memoryMib: 64 + 16 * 6, delayMs: 250 }

function formOf(parts: readonly string[]): Buffer {
  return Buffer.from(
    `${parts.map((part) => `--${formBoundary}\r\ncontent-disposition: form-data; ${part}\r\n`).join('')}--${formBoundary}--\r\n`,
  )
}

function forms(): readonly Attack[] {
  const fields = formOf(Array.from({ length: 500_000 }, (_, at) => `name="f${at}"\r\n\r\nx`))
  const files = formOf(Array.from({ length: 500_000 }, (_, at) => `name="f${at}"; filename="f"\r\n\r\nx`))
  const most = formOf(
    Array.from({ length: 255 }, (_, at) => `name="f${at}"; filename="${'f'.repeat(200)}"\r\n\r\n${'x'.repeat(230 * 1024)}`),
  )
  return Object.entries({ 'very many fields': fields, 'very many tiny files': files, '255 files of 230 KiB': most }).flatMap(
    ([name, body]) => [
      { name: `forms: ${name}`, run: post(formCall, body) },
      { ...atOnce(`forms: ${name} on 16 connections`, 16, post(formCall, body)), limits: formLimits },
    ],
  )
}
