/** Below this, setting up words costs more than they save. */
const wordsFromBytes = 64

/**
 * Combines bytes with a mask, in place (RFC 6455, 5.3); doing it twice gives back what was there. Four bytes at a time, because frames have
 * megabytes.
 * @param phase how many bytes of the frame's data came before these
 */
export function applyMask(bytes: Uint8Array, mask: Uint8Array, phase: number): void {
  const { length } = bytes
  if (length < wordsFromBytes) {
    maskBytes(bytes, mask, { from: 0, to: length, phase })
    return
  }
  const first = -bytes.byteOffset & 3
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + first, (length - first) >> 2)
  const last = first + words.length * 4
  maskBytes(bytes, mask, { from: 0, to: first, phase })
  maskWords(words, wordOf(mask, phase + first))
  maskBytes(bytes, mask, { from: last, to: length, phase })
}

interface Range {
  readonly from: number
  readonly to: number
  readonly phase: number
}

function maskBytes(bytes: Uint8Array, mask: Uint8Array, { from, to, phase }: Range): void {
  for (let at = from; at < to; at += 1) bytes[at] = (bytes[at] ?? 0) ^ (mask[(at + phase) & 3] ?? 0)
}

function maskWords(words: Uint32Array, mask: number): void {
  for (let at = 0; at < words.length; at += 1) words[at] = (words[at] ?? 0) ^ mask
}

/** The mask from that byte on, as this machine reads four bytes at once. */
function wordOf(mask: Uint8Array, phase: number): number {
  const turned = Uint8Array.from({ length: 4 }, (_, index) => mask[(index + phase) & 3] ?? 0)
  return new Uint32Array(turned.buffer)[0] ?? 0
}
