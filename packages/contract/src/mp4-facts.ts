/** What the header of a film says. */
export interface FilmFacts {
  readonly seconds: number
  readonly width: number
  readonly height: number
}

interface Box {
  readonly type: string
  /** Of its content. */
  readonly start: number
  readonly end: number
}

/** Boxes of one level that are looked at: a file of many small ones is none that a camera or a program writes. */
const boxesMax = 1_000

/** Length and size of a film (ISO/IEC 14496-12, "File type", "Movie header" and "Track header"); `null`: it is no file of this kind. */
export function mp4Facts(bytes: Uint8Array): FilmFacts | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const top = boxesIn(view, { start: 0, end: view.byteLength })
  const movie = top.find(({ type }) => type === 'moov')
  if (top[0]?.type !== 'ftyp' || movie === undefined) return null
  const parts = boxesIn(view, movie)
  const header = parts.find(({ type }) => type === 'mvhd')
  const seconds = header === undefined ? 0 : secondsIn(view, header)
  const [size] = parts.filter(({ type }) => type === 'trak').flatMap((track) => sizesIn(view, track))
  return size === undefined || !(seconds > 0) ? null : { seconds, ...size }
}

function boxesIn(view: DataView, { start, end }: Pick<Box, 'start' | 'end'>): readonly Box[] {
  const boxes: Box[] = []
  for (let at = start; at + 8 <= end && boxes.length < boxesMax; ) {
    const told = view.getUint32(at)
    const isLong = told === 1 && at + 16 <= end
    const length = isLong ? Number(view.getBigUint64(at + 8)) : told === 0 ? end - at : told
    const head = isLong ? 16 : 8
    if (length < head || at + length > end) break
    boxes.push({ type: String.fromCharCode(...bytesAt(view, at + 4, 4)), start: at + head, end: at + length })
    at += length
  }
  return boxes
}

function bytesAt(view: DataView, at: number, length: number): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset + at, length)
}

/** The duration in units of the header's time scale; in version 1 the times before them are twice as long. */
function secondsIn(view: DataView, { start, end }: Box): number {
  const isLong = start < end && view.getUint8(start) === 1
  const scaleAt = start + (isLong ? 20 : 12)
  if (scaleAt + (isLong ? 12 : 8) > end) return 0
  const duration = isLong ? Number(view.getBigUint64(scaleAt + 4)) : view.getUint32(scaleAt + 4)
  return duration / view.getUint32(scaleAt)
}

/** Bytes of a track's header from its matrix to its end: nine numbers, width and height. */
const tailBytes = 44

/** The size at which a track is shown, in whole pixels; none for sound. A film that is turned by a quarter is as wide as it was high. */
function sizesIn(view: DataView, track: Box): ReadonlyArray<Pick<FilmFacts, 'width' | 'height'>> {
  const header = boxesIn(view, track).find(({ type }) => type === 'tkhd')
  if (header === undefined || header.end - header.start < tailBytes) return []
  const matrix = header.end - tailBytes
  const [width, height] = [view.getUint16(header.end - 8), view.getUint16(header.end - 4)]
  if (width === 0 || height === 0) return []
  const isTurned = view.getInt32(matrix) === 0 && view.getInt32(matrix + 4) !== 0
  return [isTurned ? { width: height, height: width } : { width, height }]
}
