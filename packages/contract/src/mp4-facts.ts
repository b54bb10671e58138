import { boxesIn, type Mp4Box, type Mp4Budget } from './mp4-boxes.ts'
import { mp4Length } from './mp4-length.ts'

/** What the header of a video says. */
export interface VideoFacts {
  readonly seconds: number
  readonly width: number
  readonly height: number
}

/** Boxes and entries of tables that are read: a video of ten hours at thirty frames a second has as many frames. */
const entriesMax = 1_000_000

/**
 * Length and size of a video (ISO/IEC 14496-12, "File type", "Movie header" and "Track header"); `null`: it is no file of this kind, or one that
 * no camera and no program writes.
 */
export function mp4Facts(bytes: Uint8Array): VideoFacts | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const budget = { left: entriesMax }
  const top = boxesIn({ view, start: 0, end: view.byteLength }, budget)
  const movie = top.find(({ type }) => type === 'moov')
  if (top[0]?.type !== 'ftyp' || movie === undefined) return null
  const { seconds } = mp4Length(top, budget) ?? { seconds: 0 }
  const [size] = boxesIn(movie, budget)
    .filter(({ type }) => type === 'trak')
    .flatMap((track) => sizesIn(track, budget))
  return size === undefined || seconds === 0 ? null : { seconds, ...size }
}

/** Bytes of a track's header from its matrix to its end: nine numbers, width and height. */
const tailBytes = 44

/** The size at which a track is shown, in whole pixels; none for audio. A video that is turned by a quarter is as wide as it was high. */
function sizesIn(track: Mp4Box, budget: Mp4Budget): ReadonlyArray<Pick<VideoFacts, 'width' | 'height'>> {
  const header = boxesIn(track, budget).find(({ type }) => type === 'tkhd')
  if (header === undefined || header.end - header.start < tailBytes) return []
  const { view } = header
  const matrix = header.end - tailBytes
  const [width, height] = [view.getUint16(header.end - 8), view.getUint16(header.end - 4)]
  if (width === 0 || height === 0) return []
  const isTurned = view.getInt32(matrix) === 0 && view.getInt32(matrix + 4) !== 0
  return [isTurned ? { width: height, height: width } : { width, height }]
}
