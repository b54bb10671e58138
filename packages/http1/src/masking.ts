/** Below this, setting up the word view costs more than it saves. */
const wordsFromBytes = 64

/**
 * XORs bytes with a mask in place (RFC 6455, 5.3); a second call restores them. Four bytes at a time, because frames may have megabytes.
 * @param phase number of bytes of the frame's data before these
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

/** The mask rotated to begin at `phase`, as a 32-bit word in this machine's byte order. */
function wordOf(mask: Uint8Array, phase: number): number {
  const turned = Uint8Array.from({ length: 4 }, (_, index) => mask[(index + phase) & 3] ?? 0)
  return new Uint32Array(turned.buffer)[0] ?? 0
}
