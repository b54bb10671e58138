/**
 * Frees the whole buffer behind the bytes at once; nothing may use any part of it any more. Garbage collection alone would let tens of
 * megabytes accumulate.
 */
export function releaseBuffer({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0)
}

/** Smaller buffers are left to garbage collection. */
const largeBytes = 64 * 1024

/** Frees a large buffer unless the bytes are only a part of it: the rest may be the next request. */
export function giveBackWhole(bytes: Uint8Array): void {
  if (bytes.length === bytes.buffer.byteLength && bytes.length >= largeBytes) releaseBuffer(bytes)
}
