import { imageDimensionsFromData } from 'image-dimensions'

/** In pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** Characters decoded to find the size of an image; only a JPEG with a large preview has it further behind. */
export const headCharacters = 65_536

/** Magic bytes of the formats that models accept: PNG, JPEG, GIF, WebP. The library's other parsers are slow on hostile input. */
const known = /^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF)/

/** The size of an image in a data URL (`data:image/...;base64,`), read from its header; `null` if it cannot be read. */
export function imageSizeOf(url: string): Size | null {
  const start = url.startsWith('data:') ? url.indexOf(';base64,') : -1
  if (start === -1 || start > 64) return null
  const from = start + ';base64,'.length
  return sizeInBytes(Buffer.from(url.slice(from, from + headCharacters), 'base64'))
}

/** Bytes of a file that are read for that. */
export const headBytes = (headCharacters * 3) / 4

/** The size of an image by the first bytes of its file; `null` if it cannot be read. */
export function sizeInBytes(bytes: Buffer): Size | null {
  if (!known.test(bytes.toString('latin1', 0, 4))) return null
  const { width = 0, height = 0 } = imageDimensionsFromData(bytes) ?? {}
  return width > 0 && height > 0 ? { width, height } : null
}
