/**
 * Gives the memory back that bytes are or are a part of, when nobody uses any of it any more: the collector lets tens of megabytes lie before it
 * comes by.
 */
export function giveBack({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0)
}
