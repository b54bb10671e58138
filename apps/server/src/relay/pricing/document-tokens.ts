import { isUtf8 } from 'node:buffer'
import type { InlineFile } from '../model/request-params.ts'
import { type DocumentFacts, isPaddedAtEnd, markWithin, pdfMark } from './document-facts.ts'
import type { PdfLength } from './pdf-pages.ts'

/**
 * Tokens of a page, by prefix of the model name: Google's models see a page as an image (258 by "Document understanding", a stored copy read
 * 2026-11-29; 560 at Gemini 3 and 2,100 to 2,480 at Claude by a public measurement of 2026-10-18), others get its text and an image.
 */
const pageTokens: ReadonlyArray<readonly [string, number]> = [
  ['gemini-1', 258],
  ['gemini-2', 258],
  ['gemini-', 560],
  ['', 3_000],
]
/** Bytes of a page of a PDF whose pages cannot be counted, because they are compressed. */
const pageBytes = 50_000
/** A frame a second at 258 tokens, and 32 for its audio (the rules of images and audio). */
const videoTokensPerSecond = 300
/** Bytes of a second of video if nothing is known. */
const videoBytesPerSecond = 125_000
/** Bytes of a file of unknown type for one token of its text. */
const bytesPerToken = 4

/** Estimated tokens of a document. */
export interface DocumentTokens {
  /** By what it says of its length. */
  readonly usual: number
  /** The most that it may be; infinite: nothing limits it but the model's context. */
  readonly most: number
}

/** How much more than the usual tokens of a page or a second a vendor may count. */
const margin = 2
/** Bytes of a document's text for one token: other scripts than Latin have two bytes a character, which may be a token. */
const textBytesPerToken = 2

/** The text of a file that is one; `null`: its tokens are not known, because vendors may read it as another file, whatever it is called. */
export function textOf({ type, data }: InlineFile): string | null {
  if (!type.startsWith('text/') && !textTypes.has(type.split(';', 1)[0] ?? '')) return null
  if (!isPaddedAtEnd(data)) return null
  const bytes = Buffer.from(data, 'base64')
  const isOther = bytes.includes(archiveMark) || bytes.subarray(0, markWithin).includes(pdfMark)
  return isOther || !isUtf8(bytes) ? null : bytes.toString()
}

/** A file in an archive: documents of Word, Excel and others are some, and readers accept other bytes before it. */
const archiveMark = Buffer.from('PK\x03\x04', 'latin1')

/**
 * Estimated tokens of a file in a prompt that is neither an image nor audio.
 * @param facts read from its bytes; `null`: they could not be read in time
 */
export function documentTokens({ type, data }: InlineFile, model: string, facts: DocumentFacts | null): DocumentTokens {
  const byteLength = Math.ceil((data.length * 3) / 4)
  if (facts?.pdf != null) return pdfTokens(facts.pdf, byteLength, model)
  if (type.startsWith('video/')) {
    const seconds = facts?.seconds ?? byteLength / videoBytesPerSecond
    const usual = Math.ceil(seconds * videoTokensPerSecond)
    return { usual, most: facts?.seconds == null ? Number.POSITIVE_INFINITY : margin * usual }
  }
  const usual = type === 'application/pdf' ? Math.ceil(byteLength / pageBytes) * tokensOfPage(model) : Math.ceil(byteLength / bytesPerToken)
  return { usual, most: Number.POSITIVE_INFINITY }
}

/** Several pages may show one stream of text, so each may have the longest. */
function pdfTokens({ pages, pagesMax, textBytes }: PdfLength, byteLength: number, model: string): DocumentTokens {
  const each = tokensOfPage(model)
  const usual = each * (pages || Math.ceil(byteLength / pageBytes))
  if (pagesMax === null) return { usual, most: Number.POSITIVE_INFINITY }
  const longest = Math.max(margin * each, textBytes.longest / textBytesPerToken)
  return { usual, most: Math.ceil(Math.max(usual, pagesMax * longest, textBytes.all / textBytesPerToken)) }
}

function tokensOfPage(model: string): number {
  return pageTokens.find(([start]) => model.startsWith(start))?.[1] ?? 0
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
