/**
 * Gives the memory of bytes back that nobody uses any more, sooner than the collector would: it lets tens of megabytes lie before it comes by.
 * Bytes that are a part of something larger are left alone.
 */
export function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (byteLength === buffer.byteLength && buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0)
}
