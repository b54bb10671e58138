/** Milliseconds of a frame, by the configuration in the first five bits of a packet (RFC 6716, 3.1). */
function frameMs(config: number): number {
  if (config < 12) return [10, 20, 40, 60][config % 4] ?? 60
  return config < 16 ? ([10, 20][config % 2] ?? 20) : ([2.5, 5, 10, 20][config % 4] ?? 20)
}

/** The longest packet that is valid. */
const packetMsMax = 120

/** Milliseconds of an Opus packet by its first two bytes. */
export function opusPacketMs(first: number, second: number): number {
  const code = first & 3
  const frames = code === 0 ? 1 : code === 3 ? second & 0x3f : 2
  return Math.min(packetMsMax, frames * frameMs(first >> 3))
}
