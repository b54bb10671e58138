/**
 * Frees the whole buffer behind the bytes at once; nothing may use any part of it any more. Garbage collection alone would let tens of
 * megabytes accumulate.
 */
export function giveBack({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0)
}
