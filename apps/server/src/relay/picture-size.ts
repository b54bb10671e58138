/** In pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** What is decoded of a picture to find its size; only a JPEG with a large preview has it further behind. */
const headCharacters = 65_536

/** The size of a picture that is itself in its address (`data:image/...;base64,`), from its head; `null`: it cannot be read. */
export function pictureSizeOf(url: string): Size | null {
  const start = url.startsWith('data:') ? url.indexOf(';base64,') : -1
  if (start === -1 || start > 64) return null
  const from = start + ';base64,'.length
  const bytes = Buffer.from(url.slice(from, from + headCharacters), 'base64')
  const size = readers.reduce<Size | null>((found, read) => found ?? read(bytes), null)
  return size !== null && size.width > 0 && size.height > 0 ? size : null
}

type Reader = (bytes: Buffer) => Size | null

const isAt = (bytes: Buffer, offset: number, text: string): boolean => bytes.toString('latin1', offset, offset + text.length) === text

const png: Reader = (bytes) =>
  bytes.length >= 24 && isAt(bytes, 1, 'PNG') ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : null

const gif: Reader = (bytes) =>
  bytes.length >= 10 && isAt(bytes, 0, 'GIF8') ? { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) } : null

/** Three kinds of pictures go by that name: with loss, without, and with more than one layer. */
const webp: Reader = (bytes) => {
  if (bytes.length < 30 || !isAt(bytes, 0, 'RIFF') || !isAt(bytes, 8, 'WEBP')) return null
  if (isAt(bytes, 12, 'VP8 ')) return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
  if (isAt(bytes, 12, 'VP8X')) return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
  if (!isAt(bytes, 12, 'VP8L')) return null
  const bits = bytes.readUInt32LE(21)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

/** The frame's own segment is one of a few among those that stand before it. */
const jpeg: Reader = (bytes) => {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null
  let offset = 2
  while (offset + 9 <= bytes.length && bytes[offset] === 0xff) {
    const marker = bytes.readUInt8(offset + 1)
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc)
      return { width: bytes.readUInt16BE(offset + 7), height: bytes.readUInt16BE(offset + 5) }
    offset += 2 + bytes.readUInt16BE(offset + 2)
  }
  return null
}

const readers: readonly Reader[] = [png, jpeg, webp, gif]
