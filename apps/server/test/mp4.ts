/** How a file of a film is made. */
interface Film {
  readonly seconds: number
  readonly width: number
  readonly height: number
  /** Times of 64 bits. */
  readonly isLong?: boolean
  /** The header stands behind the content. */
  readonly isLast?: boolean
  /** Shown turned by a quarter. */
  readonly isTurned?: boolean
}

const text = new TextEncoder()

function box(type: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(content.length + 8)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, content])
}

const words = (...values: readonly number[]): Uint8Array => {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => bytes.writeInt32BE(value | 0, index * 4))
  return bytes
}

/** A file of a film with a header that programs read, and no pictures (ISO/IEC 14496-12). */
export function mp4Of({ seconds, width, height, isLong = false, isLast = false, isTurned = false }: Film): Uint8Array<ArrayBuffer> {
  const scale = 600
  const duration = seconds * scale
  const times = isLong ? words(1 << 24, 0, 1, 0, 1, scale, 0, duration) : words(0, 1, 1, scale, duration)
  const one = 0x10000
  const matrix = isTurned ? words(0, one, 0, -one, 0, 0, 0, 0, 0x40000000) : words(one, 0, 0, 0, one, 0, 0, 0, 0x40000000)
  const track = box('trak', box('tkhd', words(7, 1, 1, 1, 0, duration, 0, 0, 0, 0), matrix, words(width * one, height * one)))
  const movie = box('moov', box('mvhd', times, words(one, 0, 0, 0)), track)
  const content = box('mdat', text.encode('no pictures'))
  return Uint8Array.from(Buffer.concat([box('ftyp', text.encode('isomiso2')), ...(isLast ? [content, movie] : [movie, content])]))
}
