/** Reads a body up to a size. `isCut`: there was more, which was thrown away. */
export async function readCapped(
  response: Response,
  bytesMax: number,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly isCut: boolean }> {
  const declared = Number(response.headers.get('content-length') ?? Number.POSITIVE_INFINITY)
  if (declared <= bytesMax && !response.headers.has('content-encoding'))
    return { bytes: new Uint8Array(await response.arrayBuffer()), isCut: false }
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  // Holds: fetch hands out plain buffers. Leaving the loop early cancels the body, which closes the connection.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    chunks.push(chunk)
    length += chunk.length
    if (length > bytesMax) return { bytes: Buffer.concat(chunks).subarray(0, bytesMax), isCut: true }
  }
  return { bytes: chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks), isCut: false }
}
