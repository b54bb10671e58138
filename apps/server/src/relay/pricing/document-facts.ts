import { mp4Facts } from '@sluice/contract'
import type { ByteSource } from '../model/form.ts'
import { type PdfLength, pdfLength } from './pdf-pages.ts'

/** What the bytes of a document or a video say of its length. */
export interface DocumentFacts {
  /** `null`: it is no PDF. */
  readonly pdf: PdfLength | null
  /** Of an MP4 file; `null`: it is none that can be measured. */
  readonly seconds: number | null
}

/** Characters that are fetched at a time: copying them must not keep other requests waiting. */
const chunkCharacters = 512 * 1024
/** Readers accept a PDF whose mark comes behind other bytes. */
export const markWithin = 1_024
export const pdfMark = '%PDF-'
const nothing: DocumentFacts = { pdf: null, seconds: null }

/** Reads a document in base64 as a whole. Hostile ones take seconds, so it is called on a thread of its own. */
export async function readDocument(base64: ByteSource): Promise<DocumentFacts> {
  const text = Buffer.alloc(base64.byteLength)
  for (let start = 0; start < text.length; start += chunkCharacters) {
    const end = Math.min(text.length, start + chunkCharacters)
    const chunk = await base64.read(start, end)
    // Characters of several bytes are no base64. Some readers skip them.
    if (chunk.length !== end - start) return nothing
    text.set(chunk, start)
  }
  const characters = text.toString('latin1')
  if (!isPaddedAtEnd(characters)) return nothing
  const bytes = Buffer.from(characters, 'base64')
  if (bytes.subarray(0, markWithin).includes(pdfMark)) return { pdf: pdfLength(bytes), seconds: null }
  return { pdf: null, seconds: mp4Facts(bytes)?.seconds ?? null }
}

/** Some readers of base64 stop at padding, others go on behind it. */
export function isPaddedAtEnd(base64: string): boolean {
  const padding = base64.indexOf('=')
  return padding === -1 || (base64.length - padding < 8 && base64.slice(padding).replaceAll('=', '').trim() === '')
}
