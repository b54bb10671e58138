import { AppError } from '../../lib/app-error.ts'
import { decodeText } from '../../lib/parse-json.ts'
import type { PartHead } from '../model/form.ts'

export type MultipartStep =
  | { readonly kind: 'head'; readonly head: PartHead }
  | { readonly kind: 'data'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' }

export interface MultipartParser {
  /** The steps in the next bytes, independent of how the bytes are split. @throws AppError multipart_invalid */
  push(bytes: Uint8Array): readonly MultipartStep[]
  /** @throws AppError multipart_invalid if the final boundary is missing */
  finish(): void
}

type State = 'before' | 'delimited' | 'head' | 'body' | 'over'

/** Longest head of a part. */
const headBytesMax = 8 * 1024
const headEnd = '\r\n\r\n'

/**
 * Parses multipart/form-data (RFC 7578) strictly: ambiguous syntax is refused, so that a vendor's parser sees the same fields as this one.
 */
export function createMultipartParser(boundary: string): MultipartParser {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  let state: State = 'before'
  /** Bytes not parsed yet. It begins with a line break, because the first boundary may be at the very start. */
  let rest = Buffer.from('\r\n')

  /** The bytes up to the next boundary, or those that cannot be part of one. */
  function takeUntilDelimiter(): { readonly bytes: Buffer; readonly isFound: boolean } {
    const at = rest.indexOf(delimiter)
    const end = at < 0 ? Math.max(0, rest.length - delimiter.length + 1) : at
    const bytes = rest.subarray(0, end)
    rest = rest.subarray(at < 0 ? end : end + delimiter.length)
    return { bytes, isFound: at >= 0 }
  }

  function takeHead(): PartHead | null {
    const end = rest.indexOf(headEnd)
    if ((end < 0 ? rest.length : end) > headBytesMax) throw invalid('the head of a part is too long')
    if (end < 0) return null
    const head = parseHead(rest.subarray(0, end))
    rest = rest.subarray(end + headEnd.length)
    return head
  }

  /** The step of each state. `false`: more bytes are needed. */
  const take: Readonly<Record<State, (steps: MultipartStep[]) => boolean>> = {
    before() {
      if (!takeUntilDelimiter().isFound) return false
      state = 'delimited'
      return true
    },
    delimited() {
      if (rest.length < 2) return false
      const mark = rest.toString('latin1', 0, 2)
      if (mark !== '--' && mark !== '\r\n') throw invalid('a boundary is followed by other text')
      state = mark === '--' ? 'over' : 'head'
      rest = rest.subarray(2)
      return true
    },
    head(steps) {
      const head = takeHead()
      if (head === null) return false
      steps.push({ kind: 'head', head })
      state = 'body'
      return true
    },
    body(steps) {
      const { bytes, isFound } = takeUntilDelimiter()
      if (bytes.length > 0) steps.push({ kind: 'data', bytes })
      if (!isFound) return false
      steps.push({ kind: 'end' })
      state = 'delimited'
      return true
    },
    over: () => false,
  }

  return {
    push(bytes) {
      const steps: MultipartStep[] = []
      if (state === 'over') return steps
      rest = rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([rest, bytes])
      while (take[state](steps));
      return steps
    },
    finish() {
      if (state !== 'over') throw invalid('its last boundary is missing')
    },
  }
}

export function invalid(detail: string, cause?: unknown): AppError {
  return new AppError('multipart_invalid', { params: { detail }, cause })
}

/** Transfer encodings that leave the bytes unchanged. */
const plainEncodings: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary'])
const headerNameForm = /^[\w!#$%&'*+.^`|~-]+$/

function parseHead(bytes: Buffer): PartHead {
  const headers = new Map<string, string>()
  for (const line of decodeText(bytes).split('\r\n')) {
    const [name, value] = parseHeader(line)
    if (headers.has(name)) throw invalid('a header of a part stands twice')
    headers.set(name, value)
  }
  if (!plainEncodings.has(headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary')) throw invalid('a part is encoded')
  return { ...parseDisposition(headers.get('content-disposition') ?? ''), contentType: contentTypeOf(headers) }
}

/** The name in lower case and the value of a header. Its steps are linear in its length. */
function parseHeader(line: string): readonly [string, string] {
  const colon = line.indexOf(':')
  const name = line.slice(0, Math.max(0, colon))
  if (!headerNameForm.test(name) || /[\r\n\0]/.test(line)) throw invalid('a header of a part cannot be read')
  return [name.toLowerCase(), line.slice(colon + 1).trim()]
}

function contentTypeOf(headers: ReadonlyMap<string, string>): string | null {
  const type = headers.get('content-type')
  if (type === undefined || type === '') return null
  if (!/^[\x20-\x7e]{1,200}$/.test(type)) throw invalid('the type of a part cannot be read')
  return type
}

const parameterForm = /;[ \t]*([a-z]+\*?)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))[ \t]*/iy

function parseDisposition(value: string): Pick<PartHead, 'name' | 'fileName'> {
  if (!/^form-data[ \t]*;/i.test(value)) throw invalid('a part is not form-data')
  const parameters = new Map<string, string>()
  parameterForm.lastIndex = value.indexOf(';')
  while (parameterForm.lastIndex < value.length) {
    const match = parameterForm.exec(value)
    const name = match?.[1]?.toLowerCase()
    if (name === undefined || parameters.has(name)) throw invalid('the name of a part cannot be read')
    parameters.set(name, match?.[2]?.replace(/\\(["\\])/g, '$1') ?? match?.[3] ?? '')
  }
  const name = parameters.get('name') ?? ''
  if (name === '' || /[\p{Cc}\\"]/u.test(name)) throw invalid('the name of a part cannot be read')
  const fileName = parameters.get('filename') ?? extendedName(parameters.get('filename*'))
  return { name, fileName: fileName === null ? null : baseName(fileName) }
}

/** Decodes `UTF-8''na%C3%AFve.png` (RFC 8187), which some clients use for names outside ASCII. */
function extendedName(value: string | undefined): string | null {
  if (value === undefined) return null
  const [, encoded] = /^utf-8'[\w-]*'(.*)$/i.exec(value) ?? []
  try {
    if (encoded !== undefined) return decodeURIComponent(encoded)
  } catch (cause) {
    throw invalid('the name of a file cannot be read', cause)
  }
  throw invalid('the name of a file cannot be read')
}

/** The last segment of a path, as browsers send it; vendors need no more. */
function baseName(fileName: string): string {
  const last = fileName.split(/[/\\]/).at(-1) ?? ''
  if (/\p{Cc}/u.test(last)) throw invalid('the name of a file cannot be read')
  return last.slice(-200)
}
