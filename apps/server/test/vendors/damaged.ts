const damages: ReadonlyArray<(bytes: Uint8Array, from: number, to: number) => readonly Uint8Array[]> = [
  // Lost, sent twice, sent later, cut off there, other bytes in their place.
  (bytes, from, to) => [bytes.subarray(0, from), bytes.subarray(to)],
  (bytes, from, to) => [bytes.subarray(0, to), bytes.subarray(from)],
  (bytes, from, to) => [bytes.subarray(0, from), bytes.subarray(to), bytes.subarray(from, to)],
  (bytes, from) => [bytes.subarray(0, from)],
  (bytes, from, to) => [bytes.subarray(0, from), bytes.subarray(from, to).map((byte) => byte ^ 0x15), bytes.subarray(to)],
]

/** A stream of a vendor with one damage at a place by chance, or with two of its frames in the other order. */
export function damaged(frames: readonly Uint8Array[], random: () => number): Uint8Array {
  const below = (bound: number): number => Math.floor(random() * bound)
  const damage = damages[below(damages.length + 1)]
  if (damage === undefined) {
    const at = below(frames.length)
    return Buffer.concat([...frames.slice(0, at), ...frames.slice(at + 1, at + 2), ...frames.slice(at, at + 1), ...frames.slice(at + 2)])
  }
  const bytes = Buffer.concat(frames)
  const from = below(bytes.length)
  return Buffer.concat(damage(bytes, from, Math.min(bytes.length, from + 1 + below(40))))
}
