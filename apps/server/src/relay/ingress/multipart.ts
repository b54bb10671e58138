import { ByteQueue } from '@sluice/http1/byte-queue'
import type { IncomingRequest } from '@sluice/http1/incoming-request'
import { giveBackWhole } from '@sluice/http1/release-buffer'
import { AppError } from '../../lib/app-error.ts'
import { type BodyChunksDeps, type BodyLimits, bodyChunks } from '../../lib/body-chunks.ts'
import type { Mutex } from '../../lib/mutex.ts'
import { decodeText } from '../../lib/parse-json.ts'
import type { Spool } from '../../lib/spool.ts'
import type { Multipart, MultipartBody, PartHead } from '../model/form.ts'
import { createMultipartParser, invalid } from './multipart-parser.ts'

const partsMax = 256
/** Maximum bytes of all text fields: only prompts are long. */
const fieldBytesMax = 1024 * 1024

/** Fields that affect routing or price. Duplicates are refused, because the vendor might use the other value. */
const singleFields: ReadonlySet<string> = new Set([
  'model',
  'prompt',
  'stream',
  'n',
  'size',
  'quality',
  'response_format',
  'language',
  'background',
  'output_format',
  'partial_images',
])

export interface FormDeps extends BodyChunksDeps {
  readonly openSpool: () => Spool
  /** Limits how many forms are written to disk at a time: data waiting for the disk is held in memory. */
  readonly spooling: Mutex
}

/**
 * Reads a multipart form completely, with its files on disk.
 * @throws AppError unsupported_media_type, multipart_invalid, invalid_text, storage_full, and what reading a body throws
 */
export async function readMultipart(
  request: IncomingRequest,
  limits: BodyLimits,
  { openSpool, spooling, ...reading }: FormDeps,
): Promise<Multipart> {
  const parser = createMultipartParser(boundaryOf(request))
  const spool = openSpool()
  const form = createForm(spool)
  try {
    for await (const chunk of bodyChunks(request, limits, reading)) {
      const release = await spooling.acquire()
      try {
        const steps = parser.push(chunk)
        // The parser has copied it.
        giveBackWhole(chunk)
        for (const step of steps) {
          if (step.kind === 'head') form.begin(step.head)
          else if (step.kind === 'data') await form.add(step.bytes)
          else form.end()
        }
      } finally {
        release()
      }
    }
    parser.finish()
  } catch (error) {
    await spool.close()
    throw error
  }
  const { fields, placed } = form
  return {
    fields,
    parts: placed.map((part) => ({
      ...part.head,
      byteLength: part.end - part.start,
      read: async (start, end) =>
        Buffer.concat(await Array.fromAsync(spool.read(part.start + start, Math.min(part.end, part.start + end)))),
    })),
    write: (model, own = {}) => writeForm({ placed, spool, values: { ...own, model } }),
    close: spool.close,
  }
}

/** A part and the place where its bytes are stored. */
interface Placed {
  readonly head: PartHead
  readonly start: number
  readonly end: number
}

function createForm(spool: Spool) {
  const fields = new Map<string, string>()
  const placed: Placed[] = []
  let head: PartHead | null = null
  let start = 0
  /** The text of the field being read. */
  const text = new ByteQueue()
  let fieldBytes = 0

  return {
    fields,
    placed,
    begin(next: PartHead) {
      const isKnown = placed.some((part) => part.head.name === next.name)
      if (singleFields.has(next.name) && (isKnown || next.fileName !== null)) throw invalid(`field ${next.name} must be a single text`)
      if (placed.length === partsMax) throw invalid(`more than ${partsMax} parts`)
      head = next
      start = spool.byteLength
      text.clear()
    },
    async add(bytes: Uint8Array) {
      if (head?.fileName === null) {
        fieldBytes += bytes.length
        if (fieldBytes > fieldBytesMax) throw new AppError('body_too_large', { params: { limit: fieldBytesMax } })
        text.push(bytes)
      }
      await spool.append(bytes)
    },
    end() {
      if (head === null) return
      if (head.fileName === null) fields.set(head.name, decodeText(text.takeAll()))
      placed.push({ head, start, end: spool.byteLength })
      head = null
    },
  }
}

/** Longest Content-Type: a boundary has at most 70 characters, and clients send no other parameter. */
const contentTypeMax = 1_024

/** RFC 2046, 5.1.1. */
const boundaryForm = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/

function boundaryOf({ headers }: IncomingRequest): string {
  const type = headers.get('content-type') ?? ''
  if (type.length > contentTypeMax) throw invalid(`Content-Type has more than ${contentTypeMax} characters`)
  const [, quoted, plain] = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]*)"|([^\s;"]+))\s*(?:;|$)/i.exec(type) ?? []
  const boundary = quoted ?? plain
  if (boundary !== undefined && boundaryForm.test(boundary)) return boundary
  throw /^multipart\/form-data\b/i.test(type)
    ? invalid('boundary missing or not valid')
    : new AppError('unsupported_media_type', { params: { type: type.slice(0, 80), wanted: 'multipart/form-data' } })
}

/** `null`: the part is sent with its own bytes. */
function replacedValue({ name, fileName }: PartHead, values: Readonly<Record<string, string>>): Buffer | null {
  const value = fileName === null || name === 'model' ? values[name] : undefined
  return value === undefined || !Object.hasOwn(values, name) ? null : Buffer.from(value)
}

/**
 * Writes the parts with our own boundary and headers, so that no unknown header is forwarded. The boundary is random, so that no file can
 * contain it. The fields come before the files, because some vendors read them while the files still arrive.
 */
function writeForm({
  placed,
  spool,
  values,
}: {
  readonly placed: readonly Placed[]
  readonly spool: Spool
  /** Sent in the place of the fields of these names. */
  readonly values: Readonly<Record<string, string>>
}): MultipartBody {
  const boundary = `sluice-${Bun.randomUUIDv7('hex')}`
  const added = placed.some(({ head }) => head.name === 'model') ? [] : [modelPart]
  const written = [...added, ...placed.toSorted(byFile)].map((part) => ({
    before: Buffer.from(headText(part.head, boundary)),
    value: replacedValue(part.head, values),
    part,
  }))
  const last = Buffer.from(`--${boundary}--\r\n`)
  const lengths = written.map(({ before, value, part }) => before.length + (value?.length ?? part.end - part.start) + lineEnd.length)
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    byteLength: lengths.reduce((sum, length) => sum + length, last.length),
    async *chunks() {
      for (const { before, value, part } of written) {
        yield before
        if (value === null) yield* spool.read(part.start, part.end)
        else yield value
        yield lineEnd
      }
      yield last
    },
  }
}

const byFile = (one: Placed, other: Placed): number => Number(one.head.fileName !== null) - Number(other.head.fileName !== null)

const lineEnd = Buffer.from('\r\n')
const modelPart: Placed = { head: { name: 'model', fileName: null, contentType: null }, start: 0, end: 0 }

/** The parser accepts no control characters, quotes or backslashes in names, except quotes in file names. */
function headText({ name, fileName, contentType }: PartHead, boundary: string): string {
  const file = fileName === null ? '' : `; filename="${fileName.replaceAll('"', '%22')}"`
  const type = contentType === null ? '' : `content-type: ${contentType}\r\n`
  return `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n${type}\r\n`
}
