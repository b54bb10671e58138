import { endOfText } from '@sluice/vendors/core/json-text'

/** JSON whose long strings and long lists of numbers were cut. */
export interface Outline {
  readonly json: string
  /** Bytes that were cut off, by name of the member; the empty name is for strings in lists. */
  readonly cut: ReadonlyMap<string, number>
}

/** Bytes that are kept of a string: the header of an image, which has its size, fits into them. */
const keptBytes = 64 * 1024
/** Once the kept strings have this many bytes in total, less is kept of each. */
const allKeptBytes = 1024 * 1024
const keptLaterBytes = 32
/** Most bytes outside of strings: they determine the time and memory of parsing. */
const structureBytesMax = 512 * 1024

const [quote, backslash, colon, comma, brace, bracket, bracketEnd] = [0x22, 0x5c, 0x3a, 0x2c, 0x7b, 0x5b, 0x5d]
/** Of a longer list of numbers only the first number is kept: embeddings have millions of them. */
const keptListBytes = 1024
const nothing: Outline = { json: '', cut: new Map() }

/**
 * Shortens a long JSON object so that it can be parsed cheaply: a message of 15 MiB is usually one base64 string, of which only the length
 * matters. The outline of anything but an object is empty.
 * @returns `null` = it has too many values
 */
export function outlineOf(bytes: Buffer): Outline | null {
  if (bytes[0] !== brace && !/^\s*\{/.test(bytes.toString('latin1', 0, structureBytesMax))) return nothing
  const shortened = shorten(bytes)
  let last = noName
  let name = noName
  let structure = 0
  for (let at = 0; at < bytes.length; at += 1) {
    structure += 1
    if (structure > structureBytesMax) return null
    const byte = bytes[at]
    if (byte === colon) name = last
    else if (byte === comma) name = noName
    else if (byte === bracket) at = shortened.numbers(at + 1)
    if (byte !== quote) continue
    const end = endOfText(bytes, at + 1)
    last = { start: at + 1, end: shortened.text(at + 1, end, name) }
    at = end
  }
  return shortened.end()
}

function isNumberStart(byte: number | undefined): boolean {
  return byte !== undefined && (byte === 0x2d || (byte >= 0x30 && byte <= 0x39))
}

interface Place {
  readonly start: number
  readonly end: number
}

const noName: Place = { start: 0, end: 0 }

/** Cuts each string that is too long. */
function shorten(bytes: Buffer) {
  const cut = new Map<string, number>()
  const pieces: Buffer[] = []
  let from = 0
  let kept = 0
  return {
    /** Takes the next string. @returns the end of its kept part */
    text(start: number, end: number, name: Place): number {
      const keep = kept < allKeptBytes ? keptBytes : keptLaterBytes
      const keptEnd = end - start <= keep ? end : wholeEnd(bytes, start, start + keep)
      kept += keptEnd - start
      if (keptEnd === end) return end
      pieces.push(bytes.subarray(from, keptEnd))
      from = end
      const key = bytes.toString('latin1', name.start, Math.min(name.end, name.start + keptLaterBytes))
      cut.set(key, (cut.get(key) ?? 0) + end - keptEnd)
      return keptEnd
    },
    /** Takes a list. @returns where the scan continues: at the end of the list if it was cut */
    numbers(start: number): number {
      const end = isNumberStart(bytes[start]) ? bytes.indexOf(bracketEnd, start) : -1
      if (end - start <= keptListBytes) return start - 1
      const keptEnd = bytes.indexOf(comma, start)
      if (keptEnd === -1 || keptEnd > end) return start - 1
      pieces.push(bytes.subarray(from, keptEnd))
      from = end
      return end
    },
    end(): Outline {
      pieces.push(bytes.subarray(from))
      return { json: Buffer.concat(pieces).toString(), cut }
    },
  }
}

/** The last position up to `end` at which a string may be cut: not within an escape, which has up to six bytes. */
function wholeEnd(bytes: Buffer, start: number, end: number): number {
  let at = end
  for (let back = 1; back <= 6 && end - back >= start; back += 1) if (bytes[end - back] === backslash) at = end - back
  // The backslash that was found may itself be escaped.
  while (at > start && at < end && bytes[at - 1] === backslash) at -= 1
  return at
}
