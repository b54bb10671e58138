/** Wrong values in the head of a WAV. */
export interface WavLies {
  readonly bytesPerSecond?: number
  readonly blockAlign?: number
  readonly dataSize?: number
  /** Number of samples in a chunk `fact`. */
  readonly fact?: number
}

/** The head of a mono WAV with 16 bits at 16 kHz, which has 32,000 bytes a second. */
export function wavHead(seconds: number, lies: WavLies = {}): Buffer {
  const { bytesPerSecond = 32_000, blockAlign = 2, dataSize = seconds * 32_000, fact } = lies
  const claim = Buffer.alloc(fact === undefined ? 0 : 12)
  if (fact !== undefined) {
    claim.write('fact', 0, 'latin1')
    claim.writeUInt32LE(4, 4)
    claim.writeUInt32LE(fact, 8)
  }
  const head = Buffer.alloc(36)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(36 + claim.length + seconds * 32_000, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(16_000, 24)
  head.writeUInt32LE(bytesPerSecond, 28)
  head.writeUInt16LE(blockAlign, 32)
  head.writeUInt16LE(16, 34)
  const data = Buffer.alloc(8)
  data.write('data', 0, 'latin1')
  data.writeUInt32LE(dataSize, 4)
  return Buffer.concat([head, claim, data])
}

/** The whole file, silent. */
export function wavFile(seconds: number, lies: WavLies = {}): File {
  return new File([Uint8Array.from(wavHead(seconds, lies)), new Uint8Array(seconds * 32_000)], 'a.wav')
}
