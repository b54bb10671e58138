import { endOfText } from './json-text.ts'

/** JSON whose long texts were cut. */
export interface Outline {
  readonly json: string
  /** How many bytes were cut off, by the name of the member whose text it was; empty where the text stood in a list. */
  readonly cut: ReadonlyMap<string, number>
}

/** So much of a text is kept: the beginning of a picture says how large it is. */
const keptBytes = 64 * 1024
/** Once the texts that are kept have so many bytes together, less is kept of each. */
const allKeptBytes = 1024 * 1024
const keptLaterBytes = 32
/** Most bytes outside of texts: parsing takes a time and a memory that follow from them. */
const structureBytesMax = 512 * 1024

const [quote, backslash, colon, comma, brace] = [0x22, 0x5c, 0x3a, 0x2c, 0x7b]
const nothing: Outline = { json: '', cut: new Map() }

/**
 * What can be parsed of a long JSON object at little cost: a message of 15 MiB is usually one text of base64, of which only the length matters.
 * Of what is no object nothing is kept.
 * @returns `null`: it has too many values
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
    if (byte !== quote) continue
    const end = endOfText(bytes, at + 1)
    last = { start: at + 1, end: shortened.text(at + 1, end, name) }
    at = end
  }
  return shortened.end()
}

interface Place {
  readonly start: number
  readonly end: number
}

const noName: Place = { start: 0, end: 0 }

/** Leaves out what is too much of each text. */
function shorten(bytes: Buffer) {
  const cut = new Map<string, number>()
  const pieces: Buffer[] = []
  let from = 0
  let kept = 0
  return {
    /** Takes the next text. @returns the end of what is kept of it */
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
    end(): Outline {
      pieces.push(bytes.subarray(from))
      return { json: Buffer.concat(pieces).toString(), cut }
    },
  }
}

/** Where a text may be cut at the latest: not within an escape, which has up to six bytes. */
function wholeEnd(bytes: Buffer, start: number, end: number): number {
  let at = end
  for (let back = 1; back <= 6 && end - back >= start; back += 1) if (bytes[end - back] === backslash) at = end - back
  // The backslash that was found may be escaped itself.
  while (at > start && at < end && bytes[at - 1] === backslash) at -= 1
  return at
}
