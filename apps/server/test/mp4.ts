/** Seconds in the parts of a video beside its header. */
interface VideoParts {
  readonly tkhd?: number
  readonly mdhd?: number
  readonly elst?: number
  /** Times of samples. */
  readonly stts?: number
  /** The times of the first sample only, of so many. */
  readonly stsz?: number
  /** Fragments of a second with durations of samples, and with the usual ones. */
  readonly trun?: number
  readonly trex?: number
  /** Two short fragments so far apart. */
  readonly tfdt?: number
}

/** How a file of a video is made. */
interface Video {
  readonly seconds: number
  readonly width: number
  readonly height: number
  /** Times of 64 bits. */
  readonly isLong?: boolean
  /** The header stands behind the content. */
  readonly isLast?: boolean
  /** Shown turned by a quarter. */
  readonly isTurned?: boolean
  /** What its parts say instead of `seconds`. */
  readonly parts?: VideoParts
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

const scale = 600
const one = 0x10000

/** A track with what these parts say of its length. */
function track({ seconds, width, height, isTurned = false, parts = {} }: Video): Uint8Array {
  const matrix = isTurned ? words(0, one, 0, -one, 0, 0, 0, 0, 0x40000000) : words(one, 0, 0, 0, one, 0, 0, 0, 0x40000000)
  const duration = (parts.tkhd ?? seconds) * scale
  const header = box('tkhd', words(7, 1, 1, 1, 0, duration, 0, 0, 0, 0), matrix, words(width * one, height * one))
  const { mdhd, elst, stts, stsz, trun, trex, tfdt } = parts
  const edits = elst === undefined ? [] : [box('edts', box('elst', words(0, 2, (elst / 2) * scale, 0, one, (elst / 2) * scale, 0, one)))]
  if (mdhd === undefined && stts === undefined && stsz === undefined && trun === undefined && trex === undefined && tfdt === undefined)
    return box('trak', header, ...edits)
  const times = stts === undefined ? words(0, 1, 1, scale / 10) : words(0, 2, 10, scale / 10, (stts - 1) * 10, scale / 10)
  const samples = box('stbl', box('stts', times), box('stsz', words(0, 0, (stsz ?? 0) * 10)))
  const media = box('mdia', box('mdhd', words(0, 1, 1, scale, (mdhd ?? 0) * scale, 0)), box('minf', samples))
  return box('trak', header, ...edits, media)
}

/** Fragments of a video (8.8). */
function fragmentsOf({ trun = 0, trex = 0, tfdt }: VideoParts): readonly Uint8Array[] {
  const fragment = (...runs: readonly Uint8Array[]): Uint8Array => box('moof', box('mfhd', words(0, 1)), box('traf', ...runs))
  const timed = box('trun', words(0x0100, 2, scale / 2, scale / 2))
  return [
    ...Array.from({ length: trun }, () => fragment(box('tfhd', words(0, 1)), timed)),
    ...Array.from({ length: trex }, () => fragment(box('tfhd', words(0, 1)), box('trun', words(0, 10)))),
    ...(tfdt === undefined ? [] : [7, 7 + tfdt - 1]).map((start) =>
      fragment(box('tfhd', words(0, 1)), box('tfdt', words(0, start * scale)), timed),
    ),
  ]
}

/** A file of a video with a header that programs read, and no images (ISO/IEC 14496-12). */
export function mp4Of(mp4File: Video): Uint8Array<ArrayBuffer> {
  const { seconds, isLong = false, isLast = false, parts = {} } = mp4File
  const duration = seconds * scale
  const times = isLong ? words(1 << 24, 0, 1, 0, 1, scale, 0, duration) : words(0, 1, 1, scale, duration)
  const extended = parts.trex === undefined ? [] : [box('mvex', box('trex', words(0, 1, 1, scale / 10, 0, 0)))]
  const movie = box('moov', box('mvhd', times, words(one, 0, 0, 0)), ...extended, track(mp4File))
  const content = box('mdat', text.encode('no pictures'))
  const rest = [...(isLast ? [content, movie] : [movie, content]), ...fragmentsOf(parts)]
  return Uint8Array.from(Buffer.concat([box('ftyp', text.encode('isomiso2')), ...rest]))
}
