import { setImmediate } from 'node:timers/promises'
import type { ByteBudget } from '@sluice/http1/byte-budget'
import { giveBack } from '@sluice/http1/give-back'
import type { Received } from '@sluice/http1/received'
import { AppError } from './app-error.ts'
import { type BodyLimits, bodyChunks, codingOf, tooLarge } from './body-chunks.ts'
import { openBodyRoom } from './body-room.ts'
import type { Deadlines } from './deadlines.ts'
import { endOfText } from './json-text.ts'

/** Deepest nesting of lists and objects: code that serializes a body or walks through it recurses, and the stack is limited. */
const depthMax = 64

/** A body that was read and parsed. */
export interface ReadBody {
  readonly value: unknown
  /** Call it when the value is not used any more: its bytes count in the budget until then. */
  readonly close: () => void
}

export interface ReadBodyDeps {
  readonly deadlines: Deadlines
  /** Memory limit of all bodies together. */
  readonly bodies: ByteBudget
}

const nothing = (): void => {}

/**
 * Reads a JSON body and counts its bytes as they arrive, so that neither a false or missing length nor compression exceeds the limit. The
 * value can be serialized as JSON without a change of meaning. A body that has arrived is read at once.
 * @throws AppError invalid_text, invalid_json, bodies_waiting, and what `bodyChunks` throws
 */
export function readJson(request: Received, limits: BodyLimits, deps: ReadBodyDeps): ReadBody | Promise<ReadBody> {
  const { body, headers } = request
  if (body === null) return readBytes(new Uint8Array())
  const declared = headers.get('content-length')
  const length = declared === null || codingOf(request) !== null ? null : Number(declared)
  if (length !== null && length > limits.bodyBytesMax) throw tooLarge(limits.bodyBytesMax)
  // The HTTP parser holds a client to its declared length, so only bodies without one are counted while they come.
  if (length === null || length > uncountedBytes) return readCounted(request, length, { limits, ...deps })
  const bytes = body.taken()
  return bytes === null ? inTime(body.bytes(), limits.bodyMs, deps.deadlines).then(readBytes) : readBytes(bytes)
}

async function readCounted(
  request: Received,
  length: number | null,
  { limits, ...deps }: ReadBodyDeps & { readonly limits: BodyLimits },
): Promise<ReadBody> {
  const room = openBodyRoom({ budget: deps.bodies, length, signal: request.signal, cancel: () => request.body?.cancel() })
  try {
    return { value: await parseLarge(await room.collect(bodyChunks(request, limits, deps.deadlines))), close: room.close }
  } catch (error) {
    room.close()
    throw error
  }
}

/** Bodies up to this length are read in one piece and not counted. */
const uncountedBytes = 256 * 1024

function readBytes(bytes: Uint8Array): ReadBody {
  return { value: checked(parseJson(decodeText(bytes))), close: nothing }
}

function checked(value: unknown): unknown {
  const flaw = flawOf(value, depthMax)
  if (flaw !== null) throw new AppError('invalid_json', { params: { detail: flaw } })
  return value
}

/**
 * Bodies from this length on yield to the event loop between the steps. The steps stay on this thread: 32 MiB of chat take 20 ms to parse,
 * and passing the value from a worker would take longer (decisions/2026-11-21-admission.md).
 */
const largeBytes = 1024 * 1024

async function parseLarge(bytes: Uint8Array): Promise<unknown> {
  if (bytes.length <= largeBytes) return checked(parseJson(decodeText(bytes)))
  await checkShape(bytes)
  const text = decodeText(bytes)
  giveBack(bytes)
  await setImmediate()
  const value = parseJson(text)
  await setImmediate()
  return checked(value)
}

const [quote, comma, colon] = [0x22, 0x2c, 0x3a]
/** How one character of JSON outside of strings changes the depth. */
const depthOf: ReadonlyMap<number, number> = new Map(
  [...'[{'].map((mark): [number, number] => [mark.charCodeAt(0), 1]).concat([...']}'].map((mark) => [mark.charCodeAt(0), -1])),
)
/** Most commas, colons and brackets outside of strings. The longest bodies of vendors have 300,000 numbers (embeddings of tokens). */
const marksMax = 500_000

/**
 * Counts brackets and values before parsing: the parser takes a second for sixteen million open brackets, and 400 MiB for five million
 * empty objects. Strings are skipped.
 */
async function checkShape(bytes: Uint8Array): Promise<void> {
  let depth = 0
  let marks = 0
  let turnAt = largeBytes
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === quote) at = endOfText(bytes, at + 1)
    else if (isMark(byte)) {
      depth += depthOf.get(byte) ?? 0
      marks += 1
      needPlain(depth, marks)
    }
    if (at < turnAt) continue
    turnAt = at + largeBytes
    await setImmediate()
  }
}

function isMark(byte: number): boolean {
  return byte === comma || byte === colon || (byte >= 0x5b && depthOf.has(byte))
}

/** @throws AppError invalid_json */
function needPlain(depth: number, marks: number): void {
  if (depth > depthMax) throw new AppError('invalid_json', { params: { detail: tooDeep } })
  if (marks > marksMax) throw new AppError('invalid_json', { params: { detail: 'it has too many values' } })
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

/** What would change when the value is serialized again, or could not be serialized; `null` = nothing. */
function flawOf(value: unknown, depthLeft: number): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'a number is too large'
  if (typeof value !== 'object' || value === null) return null
  if (depthLeft === 0) return tooDeep
  return Array.isArray(value) ? flawOfItems(value, depthLeft) : flawOfMembers(value, depthLeft)
}

function flawOfItems(items: readonly unknown[], depthLeft: number): string | null {
  for (const item of items) {
    const flaw = typeof item === 'string' ? null : flawOf(item, depthLeft - 1)
    if (flaw !== null) return flaw
  }
  return null
}

/** Without a list of the members, which would be made for every object. */
function flawOfMembers(members: object, depthLeft: number): string | null {
  for (const name in members) {
    // Holds: parsed JSON inherits no member that a loop finds.
    const member: unknown = members[name as keyof typeof members]
    const flaw = typeof member === 'string' ? null : flawOf(member, depthLeft - 1)
    if (flaw !== null) return flaw
  }
  return null
}

const tooDeep = 'it is nested too deeply'
