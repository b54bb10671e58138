import { type Mp4Box, type Mp4Budget, uint32In, uint64In } from './mp4-boxes.ts'
import { opusPacketMs } from './opus.ts'

/** How long a packet of a track of audio is, by the type of its entry, at the highest rate that is usual: decoders go by it, whatever times a file says. */
const packetSeconds: Readonly<Record<string, number>> = {
  mp4a: 1_024 / 48_000,
  '.mp3': 1_152 / 48_000,
  'ac-3': 1_536 / 48_000,
  'ec-3': 1_536 / 48_000,
  alac: 4_096 / 48_000,
  fLaC: 4_096 / 48_000,
  samr: 0.02,
  sawb: 0.02,
  // In fragments; those of a table say themselves how long they are.
  Opus: 0.02,
}

/** The type of the first entry of a table of descriptions (`stsd`). */
export function entryTypeIn(descriptions: Mp4Box): string {
  const type = uint32In(descriptions, 12)
  return String.fromCharCode(type >>> 24, (type >>> 16) & 255, (type >>> 8) & 255, type & 255)
}

/** Seconds of so many packets of a type; 0: that is not known. */
export const secondsOfPackets = (type: string, packets: number): number => packets * (packetSeconds[type] ?? 0)

/** Seconds of the packets of Opus that the tables of a track (ISO/IEC 14496-12, 8.6 and 8.7) lead to. */
export function opusSecondsAt(tables: readonly Mp4Box[], budget: Mp4Budget): number {
  const table = (...types: readonly string[]): Mp4Box | undefined => tables.find(({ type }) => types.includes(type))
  const [sizes, groups, chunks] = [table('stsz'), table('stsc'), table('stco', 'co64')]
  if (sizes === undefined || groups === undefined || chunks === undefined) return 0
  const count = Math.min(uint32In(sizes, 8), budget.left)
  budget.left -= count
  const offsets = offsetsOf(chunks)
  const sizeOf = (packet: number): number => uint32In(sizes, 4) || uint32In(sizes, 12 + packet * 4)
  let [group, packet, ms] = [0, 0, 0]
  for (let chunk = 0; chunk < offsets.count && packet < count; chunk += 1) {
    if (group + 1 < uint32In(groups, 4) && uint32In(groups, 8 + (group + 1) * groupBytes) === chunk + 1) group += 1
    const end = Math.min(count, packet + uint32In(groups, 12 + group * groupBytes))
    for (let at = offsets.at(chunk); packet < end; packet += 1) {
      if (at + 2 <= sizes.view.byteLength) ms += opusPacketMs(sizes.view.getUint8(at), sizes.view.getUint8(at + 1))
      at += sizeOf(packet)
    }
  }
  return ms / 1000
}

/** Bytes of an entry of the table that says how many packets a chunk has. */
const groupBytes = 12

/** Where chunks begin, of which there are no more than fit into their table. */
function offsetsOf(chunks: Mp4Box): { readonly count: number; readonly at: (chunk: number) => number } {
  const isLong = chunks.type === 'co64'
  const bytes = isLong ? 8 : 4
  const count = Math.min(uint32In(chunks, 4), Math.max(0, Math.floor((chunks.end - chunks.start - 8) / bytes)))
  return { count, at: (chunk) => (isLong ? uint64In(chunks, 8 + chunk * bytes) : uint32In(chunks, 8 + chunk * bytes)) }
}
