import { setImmediate } from 'node:timers/promises'
import { ByteQueue } from '@sluice/http1/byte-queue'
import type { Received } from '@sluice/http1/received'
import { AppError } from './app-error.ts'
import { type BodyLimits, bodyChunks, codingOf, tooLarge } from './body-chunks.ts'
import type { Deadlines } from './deadlines.ts'

/** Deepest nesting of lists and objects: beyond it, what writes a body again or walks through it would need too much of the stack. */
const depthMax = 64

/**
 * Reads a JSON body, counting while it comes: neither a false nor a missing length nor packing lets more than the limit in. What it returns
 * can be written again as JSON and means the same.
 * @throws AppError invalid_text, invalid_json, and what `bodyChunks` throws
 */
export async function readJson(request: Received, limits: BodyLimits, deadlines: Deadlines): Promise<unknown> {
  const bytes = await readBytes(request, limits, deadlines)
  const value = bytes.length > largeBytes ? await parseLarge(bytes) : parseJson(decodeText(bytes))
  const flaw = flawOf(value, depthMax)
  if (flaw !== null) throw new AppError('invalid_json', { params: { detail: flaw } })
  return value
}

/**
 * From here on others get their turn between the steps. The steps themselves stay on this thread: 32 MiB of chat take 20 ms to parse, and
 * handing the value over from a worker would take longer than that (decisions/2026-11-21-admission.md).
 */
const largeBytes = 1024 * 1024

async function parseLarge(bytes: Uint8Array): Promise<unknown> {
  await checkDepth(bytes)
  const text = decodeText(bytes)
  await setImmediate()
  const value = parseJson(text)
  await setImmediate()
  return value
}

const [quote, backslash] = [0x22, 0x5c]
/** What one character of JSON outside of texts does to the depth. */
const depthOf: ReadonlyMap<number, number> = new Map(
  [...'[{'].map((mark): [number, number] => [mark.charCodeAt(0), 1]).concat([...']}'].map((mark) => [mark.charCodeAt(0), -1])),
)

/** A parser takes a second for sixteen million open brackets, so they are counted first. Text between quotes is skipped. */
async function checkDepth(bytes: Uint8Array): Promise<void> {
  let depth = 0
  let turnAt = largeBytes
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === quote) at = endOfText(bytes, at + 1)
    else if (byte !== undefined && byte >= 0x5b) depth += depthOf.get(byte) ?? 0
    if (depth > depthMax) throw new AppError('invalid_json', { params: { detail: tooDeep } })
    if (at < turnAt) continue
    turnAt = at + largeBytes
    await setImmediate()
  }
}

/** Where the quote stands that ends a text: one behind an even number of backslashes. */
function endOfText(bytes: Uint8Array, start: number): number {
  for (let at = start; ; at += 1) {
    at = bytes.indexOf(quote, at)
    if (at < 0) return bytes.length
    let before = at
    while (bytes[before - 1] === backslash) before -= 1
    if ((at - before) % 2 === 0) return at
  }
}

async function readBytes(request: Received, limits: BodyLimits, deadlines: Deadlines): Promise<Uint8Array> {
  const declared = request.headers.get('content-length')
  if (declared === null || codingOf(request) !== null) return await collect(bodyChunks(request, limits, deadlines))
  if (Number(declared) > limits.bodyBytesMax) throw tooLarge(limits.bodyBytesMax)
  // The HTTP parser holds a client to its declared length, so only bodies without one are counted while they come.
  if (request.body === null) return new Uint8Array()
  return request.body.taken() ?? (await inTime(request.body.bytes(), limits.bodyMs, deadlines))
}

/** Chunks may be as small as a byte, so they are not kept one by one. */
async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all = new ByteQueue()
  for await (const chunk of chunks) all.push(chunk)
  return all.takeAll()
}

function inTime<Value>(work: Promise<Value>, afterMs: number, deadlines: Deadlines): Promise<Value> {
  return new Promise((resolve, reject) => {
    const deadline = deadlines.start(afterMs, () => reject(new AppError('body_timeout')))
    work.then(
      (value) => {
        deadlines.cancel(deadline)
        resolve(value)
      },
      (error) => {
        deadlines.cancel(deadline)
        reject(new AppError('body_interrupted', { cause: error }))
      },
    )
  })
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** @throws AppError invalid_text */
export function decodeText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new AppError('invalid_text', { cause })
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const detail =
      text.trim() === ''
        ? 'it is empty'
        : cause instanceof SyntaxError
          ? cause.message.replace(/^JSON Parse error: /, '').slice(0, 120)
          : tooDeep
    throw new AppError('invalid_json', { params: { detail }, cause })
  }
}

/** What would be another body once it is written again, or could not be written: `null` = nothing. */
function flawOf(value: unknown, depthLeft: number): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'a number is too large'
  if (typeof value !== 'object' || value === null) return null
  if (depthLeft === 0) return tooDeep
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof member === 'string') continue
    const flaw = flawOf(member, depthLeft - 1)
    if (flaw !== null) return flaw
  }
  return null
}

const tooDeep = 'it is nested too deeply'
