const headBytes = 44

/** Audio of one channel and 16 bits as a WAV file (Microsoft, "Multimedia Programming Interface and Data Specifications 1.0"). */
export function wavOf(audio: Uint8Array, samplesPerSecond: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(headBytes + audio.length)
  const head = new DataView(file.buffer)
  const write = (at: number, text: string): void => {
    for (let index = 0; index < text.length; index += 1) head.setUint8(at + index, text.charCodeAt(index))
  }
  write(0, 'RIFF')
  head.setUint32(4, headBytes - 8 + audio.length, true)
  write(8, 'WAVEfmt ')
  head.setUint32(16, 16, true)
  // Plain samples, one channel.
  head.setUint16(20, 1, true)
  head.setUint16(22, 1, true)
  head.setUint32(24, samplesPerSecond, true)
  head.setUint32(28, samplesPerSecond * 2, true)
  head.setUint16(32, 2, true)
  head.setUint16(34, 16, true)
  write(36, 'data')
  head.setUint32(40, audio.length, true)
  file.set(audio, headBytes)
  return file
}
