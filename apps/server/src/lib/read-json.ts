import { AppError } from './app-error.ts'
import type { Deadlines } from './deadlines.ts'

interface BodyLimits {
  readonly bodyBytesMax: number
  readonly bodyMs: number
}

/**
 * Reads a JSON body, counting while it comes: neither a false nor a missing length lets more than the limit in.
 * @throws AppError body_too_large, body_timeout, unsupported_encoding, invalid_text, invalid_json
 */
export async function readJson(request: Request, limits: BodyLimits, deadlines: Deadlines): Promise<unknown> {
  const encoding = request.headers.get('content-encoding')
  if (encoding !== null && encoding !== 'identity')
    throw new AppError('unsupported_encoding', { params: { encoding: encoding.slice(0, 40) } })
  const bytes = await inTime(readBytes(request, limits.bodyBytesMax), limits.bodyMs, deadlines)
  return parseJson(decodeText(bytes))
}

async function readBytes(request: Request, max: number): Promise<Uint8Array> {
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > max) throw tooLarge(max)
  // The HTTP parser holds a client to its declared length, so only bodies without one are counted here.
  if (declared !== null) return await request.bytes()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body ?? []) {
    length += chunk.length
    if (length > max) throw tooLarge(max)
    chunks.push(chunk)
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
}

function tooLarge(limit: number): AppError {
  return new AppError('body_too_large', { params: { limit } })
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
        reject(error)
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
          : 'it is nested too deeply'
    throw new AppError('invalid_json', { params: { detail }, cause })
  }
}
