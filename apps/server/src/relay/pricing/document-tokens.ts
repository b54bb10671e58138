import { mp4Facts } from '@sluice/contract'
import type { InlineFile } from '../model/request-params.ts'
import { estimateTokens } from './count-tokens.ts'

/**
 * Tokens of a page, by prefix of the model name: Google's models see a page as a picture (258 by "Document understanding", a stored copy read
 * 2026-11-29; 560 at Gemini 3 and 2,100 to 2,480 at Claude by a public measurement of 2026-10-18), others get its text and a picture.
 */
const pageTokens: ReadonlyArray<readonly [string, number]> = [
  ['gemini-1', 258],
  ['gemini-2', 258],
  ['gemini-', 560],
  ['', 3_000],
]
/** Bytes of a page of a PDF whose pages cannot be counted, because they are compressed. */
const pageBytes = 50_000
/** A frame a second at 258 tokens, and 32 for its sound (the rules of images and audio). */
const videoTokensPerSecond = 300
/** Bytes of a second of video if nothing is known. */
const videoBytesPerSecond = 125_000
/** Bytes of a file of unknown type for one token of its text. */
const bytesPerToken = 4

/** Whether the tokens of a file are known from its bytes, not only estimated by what it says of itself. */
export function isMeasured({ type }: InlineFile): boolean {
  return isText(type)
}

/** Estimated tokens of a file in a prompt that is neither an image nor audio. */
export function documentTokens({ type, data }: InlineFile, model: string): number {
  const bytes = Buffer.from(data, 'base64')
  if (isText(type)) return estimateTokens(bytes.toString())
  if (type === 'application/pdf' || bytes.subarray(0, pdfMark.length).equals(pdfMark)) {
    const each = pageTokens.find(([start]) => model.startsWith(start))?.[1] ?? 0
    return each * (pagesOf(bytes) || Math.ceil(bytes.length / pageBytes))
  }
  if (type.startsWith('video/')) return Math.ceil(secondsOf(bytes) * videoTokensPerSecond)
  return Math.ceil(bytes.length / bytesPerToken)
}

function isText(type: string): boolean {
  return type.startsWith('text/') || textTypes.has(type.split(';', 1)[0] ?? '')
}

const textTypes: ReadonlySet<string> = new Set([
  'application/json',
  'application/xml',
  'application/javascript',
  'application/x-javascript',
  'application/x-python',
  'application/yaml',
  'application/x-yaml',
])

const pdfMark = Buffer.from('%PDF-')
const pageMark = Buffer.from('/Page')
const typeMark = '/Type'
/** White space between a name and its value. */
const gapMax = 8

/** Page objects of a PDF (ISO 32000-1, 7.7.3.3: `/Type /Page`); 0: they are compressed, or there are none. */
function pagesOf(bytes: Buffer): number {
  let pages = 0
  for (let at = bytes.indexOf(pageMark); at !== -1; at = bytes.indexOf(pageMark, at + pageMark.length)) {
    const isName = !isLetter(bytes[at + pageMark.length])
    const before = bytes.toString('latin1', Math.max(0, at - typeMark.length - gapMax), at).trimEnd()
    if (isName && before.endsWith(typeMark)) pages += 1
  }
  return pages
}

function isLetter(byte = 0): boolean {
  return (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)
}

function secondsOf(bytes: Buffer): number {
  return mp4Facts(bytes)?.seconds ?? bytes.length / videoBytesPerSecond
}
