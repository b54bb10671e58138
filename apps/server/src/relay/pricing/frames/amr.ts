/** Bytes of a frame behind its first byte, by its mode (RFC 4867, 5.3). */
const narrow = [12, 13, 15, 17, 19, 20, 26, 31, 5]
const wide = [17, 23, 32, 36, 40, 46, 50, 58, 60, 5]
const wideMark = '#!AMR-WB'
const frameSeconds = 0.02

/** Seconds of an AMR file: each frame is 20 ms. */
export function amrSeconds(bytes: Buffer): number {
  const isWide = bytes.toString('latin1', 0, wideMark.length) === wideMark
  const sizes = isWide ? wide : narrow
  let frames = 0
  for (let at = bytes.indexOf('\n') + 1; at > 0 && at < bytes.length; frames += 1) at += 1 + (sizes[(bytes.readUInt8(at) >> 3) & 0xf] ?? 0)
  return frames * frameSeconds
}
