export const vorbisMark = '\x01vorbis'

/** Bytes of the packet that begins a stream. */
const headBytes = 30
/** Vorbis has short blocks, too: its packets count as if each were a third of a long one. */
const longBlockShare = 1 / 3

/** Seconds of a packet by the first one of its stream ("Vorbis I specification", 4.2.2), which begins there; 0: it is cut. */
export function vorbisPacketSeconds(bytes: Buffer, at: number): number {
  if (at + headBytes > bytes.length) return 0
  const rate = Math.max(1, bytes.readUInt32LE(at + 12))
  const longBlock = 2 ** Math.min(13, bytes.readUInt8(at + 28) >> 4)
  return ((longBlock / 2) * longBlockShare) / rate
}
