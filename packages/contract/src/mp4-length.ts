import { boxesIn, hasLongTimes, type Mp4Box, type Mp4Budget, uint32In, uint64In } from './mp4-boxes.ts'
import { entryTypeIn, opusSecondsAt, secondsOfPackets } from './mp4-packets.ts'

/**
 * The length of a file by its boxes `moov` and `moof`: the longest of what the headers of the movie, its tracks and their media say, of their edit
 * lists, and of the durations of all samples, because players differ in which of these they follow. `null`: it has more boxes and entries than
 * `budget` allows, or some that end beyond those around them, or compressed ones.
 */
export function mp4Length(boxes: readonly Mp4Box[], budget: Mp4Budget): Mp4Length | null {
  const video: Video = { budget, seconds: 0, isBroken: false, tracks: new Map() }
  for (const box of boxes) if (box.type === 'moov') readMovie(box, video)
  for (const box of boxes) if (box.type === 'moof') readFragment(box, video)
  for (const track of video.tracks.values()) noteSeconds(video, Math.max(track.samples, track.lastEnd - track.firstStart) / scaleOf(track))
  const audioSeconds = [...video.tracks.values()].reduce((longest, { audio }) => Math.max(longest, audio), 0)
  return video.isBroken || budget.left < 0 || !Number.isFinite(video.seconds) ? null : { seconds: video.seconds, audioSeconds }
}

export interface Mp4Length {
  readonly seconds: number
  /** Of the packets of audio in the longest track, whatever durations they have; 0: that is not known. */
  readonly audioSeconds: number
}

/** Of a whole file; `null`, too: it is no MP4 file. */
export function mp4FileLength(bytes: Uint8Array, entriesMax: number): Mp4Length | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const budget = { left: entriesMax }
  const top = boxesIn({ view, start: 0, end: view.byteLength }, budget)
  return top[0]?.type === 'ftyp' ? mp4Length(top, budget) : null
}

interface Video {
  readonly budget: Mp4Budget
  seconds: number
  isBroken: boolean
  /** What fragments refer to, by the number of the track. */
  readonly tracks: Map<number, Track>
}

/** In units of the media's time scale. */
interface Track {
  /** Infinite: not read yet. */
  scale: number
  sampleDuration: number
  /** Durations of the samples in fragments. */
  samples: number
  firstStart: number
  lastEnd: number
  /** The type of its entries. */
  type: string
  /** Seconds of its packets of audio. */
  audio: number
}

function noteSeconds(video: Video, seconds: number): void {
  if (seconds > video.seconds) video.seconds = seconds
}

/** The boxes within one, of which those that are read must be whole. */
function partsOf(box: Mp4Box, video: Video): readonly Mp4Box[] {
  const parts = boxesIn(box, video.budget)
  if (box.isCut || parts.some(({ type, isCut }) => type === 'cmov' || (isCut && readTypes.has(type)))) video.isBroken = true
  return parts
}

const readTypes: ReadonlySet<string> = new Set(
  'mvhd trak tkhd edts elst mdia mdhd minf stbl stsd stts stsz stz2 mvex mehd trex traf tfhd tfdt trun'.split(' '),
)

function trackOf(video: Video, id: number): Track {
  const track = video.tracks.get(id) ?? {
    scale: Number.POSITIVE_INFINITY,
    sampleDuration: 0,
    samples: 0,
    firstStart: Number.POSITIVE_INFINITY,
    lastEnd: 0,
    type: '',
    audio: 0,
  }
  video.tracks.set(id, track)
  return track
}

/** Units in a second: the fewest that two tracks of one number say, and one where none says it. */
function scaleOf({ scale }: Track): number {
  return Number.isFinite(scale) ? scale : 1
}

/** A duration; 0 if all its bits are set, which means that it is not known. */
function durationIn(box: Mp4Box, offset: number): number {
  const low = uint32In(box, hasLongTimes(box) ? offset + 4 : offset)
  if (!hasLongTimes(box)) return low === 0xffff_ffff ? 0 : low
  const duration = uint64In(box, offset)
  return low === 0xffff_ffff && duration > 2 ** 63 ? 0 : duration
}

/** The time scale and the duration of `mvhd` and `mdhd`; in version 1 the times before them are twice as long. */
function timesOf(header: Mp4Box): { readonly scale: number; readonly duration: number } {
  const scaleAt = hasLongTimes(header) ? 20 : 12
  return { scale: uint32In(header, scaleAt) || 1, duration: durationIn(header, scaleAt + 4) }
}

function readMovie(movie: Mp4Box, video: Video): void {
  const parts = partsOf(movie, video)
  let movieScale = 1
  for (const header of parts.filter(({ type }) => type === 'mvhd')) {
    const { scale, duration } = timesOf(header)
    movieScale = scale
    noteSeconds(video, duration / scale)
  }
  for (const part of parts) {
    if (part.type === 'trak') readTrack(part, movieScale, video)
    if (part.type !== 'mvex') continue
    for (const box of partsOf(part, video)) {
      if (box.type === 'mehd') noteSeconds(video, durationIn(box, 4) / movieScale)
      if (box.type === 'trex') trackOf(video, uint32In(box, 4)).sampleDuration = uint32In(box, 12)
    }
  }
}

function readTrack(track: Mp4Box, movieScale: number, video: Video): void {
  const parts = partsOf(track, video)
  const header = parts.find(({ type }) => type === 'tkhd')
  if (header !== undefined) noteSeconds(video, durationIn(header, hasLongTimes(header) ? 28 : 20) / movieScale)
  const id = header === undefined ? 0 : uint32In(header, hasLongTimes(header) ? 20 : 12)
  for (const part of parts) {
    if (part.type === 'mdia') readMedia(part, trackOf(video, id), video)
    if (part.type === 'edts') noteSeconds(video, editedUnits(part, video) / movieScale)
  }
}

/** The sum of the segments of edit lists. */
function editedUnits(edits: Mp4Box, video: Video): number {
  let sum = 0
  for (const list of partsOf(edits, video).filter(({ type }) => type === 'elst')) {
    const entryBytes = hasLongTimes(list) ? 20 : 12
    const count = entriesOf(list, { entryBytes, countAt: 4 }, video.budget)
    for (let entry = 0; entry < count; entry += 1) sum += durationIn(list, 8 + entry * entryBytes)
  }
  return sum
}

/** How many entries a table has, but no more than fit into it. They come behind their count. */
function entriesOf(
  table: Mp4Box,
  { entryBytes, countAt, at = countAt + 4 }: { readonly entryBytes: number; readonly countAt: number; readonly at?: number },
  budget: Mp4Budget,
): number {
  const count = Math.min(uint32In(table, countAt), Math.max(0, Math.floor((table.end - table.start - at) / entryBytes)))
  budget.left -= count
  return budget.left < 0 ? 0 : count
}

function readMedia(media: Mp4Box, track: Track, video: Video): void {
  const parts = partsOf(media, video)
  for (const header of parts.filter(({ type }) => type === 'mdhd')) {
    const { scale, duration } = timesOf(header)
    track.scale = Math.min(track.scale, scale)
    noteSeconds(video, duration / scale)
  }
  for (const info of parts.filter(({ type }) => type === 'minf'))
    for (const table of partsOf(info, video))
      if (table.type === 'stbl') noteSeconds(video, sampleUnits(table, track, video) / scaleOf(track))
}

/** The durations of all samples: those that the table of times lacks last as long as its last one. */
function sampleUnits(tables: Mp4Box, track: Track, video: Video): number {
  let [units, timed, last, samples] = [0, 0, 0, 0]
  const parts = partsOf(tables, video)
  for (const table of parts) {
    if (table.type === 'stsz' || table.type === 'stz2') samples = Math.max(samples, uint32In(table, 8))
    if (table.type === 'stsd') track.type = entryTypeIn(table)
    if (table.type !== 'stts') continue
    const count = entriesOf(table, { entryBytes: 8, countAt: 4 }, video.budget)
    for (let entry = 0; entry < count; entry += 1) {
      const repeated = table.view.getUint32(table.start + 8 + entry * 8)
      last = table.view.getUint32(table.start + 12 + entry * 8)
      timed += repeated
      units += repeated * last
    }
  }
  const packed = secondsOfPackets(track.type, Math.max(samples, timed))
  track.audio += track.type === 'Opus' ? Math.max(opusSecondsAt(parts, video.budget), packed / 8) : packed
  return units + Math.max(0, samples - timed) * last
}

function readFragment(fragment: Mp4Box, video: Video): void {
  for (const part of partsOf(fragment, video)) if (part.type === 'traf') readTrackFragment(partsOf(part, video), video)
}

function readTrackFragment(boxes: readonly Mp4Box[], video: Video): void {
  const header = boxes.find(({ type }) => type === 'tfhd')
  if (header === undefined) return
  const track = trackOf(video, uint32In(header, 4))
  const flags = uint32In(header, 0)
  const durationAt = 8 + ((flags & 1) === 0 ? 0 : 8) + ((flags & 2) === 0 ? 0 : 4)
  const usual = (flags & 8) === 0 ? track.sampleDuration : uint32In(header, durationAt)
  let units = 0
  for (const box of boxes.filter(({ type }) => type === 'trun')) {
    units += runUnits(box, usual, video.budget)
    track.audio += secondsOfPackets(track.type, uint32In(box, 4))
  }
  track.samples += units
  for (const box of boxes.filter(({ type }) => type === 'tfdt')) {
    const start = hasLongTimes(box) ? uint64In(box, 4) : uint32In(box, 4)
    track.firstStart = Math.min(track.firstStart, start)
    track.lastEnd = Math.max(track.lastEnd, start + units)
  }
}

/** Of a fragment's samples: each has a duration of its own, or the usual one. */
function runUnits(run: Mp4Box, usual: number, budget: Mp4Budget): number {
  const flags = uint32In(run, 0)
  if ((flags & 0x100) === 0) return uint32In(run, 4) * usual
  const at = 8 + ((flags & 1) === 0 ? 0 : 4) + ((flags & 4) === 0 ? 0 : 4)
  const entryBytes = [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length * 4
  const count = entriesOf(run, { entryBytes, countAt: 4, at }, budget)
  let units = 0
  for (let entry = 0; entry < count; entry += 1) units += uint32In(run, at + entry * entryBytes)
  return units
}
