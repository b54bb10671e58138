import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import type { UpstreamResponse } from './client.ts'

const decoders: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
])

/**
 * The response with its body as it was before the server compressed it. None is asked to, but some do.
 * @returns `null` where nobody here knows the coding
 */
export function decodeBody(response: UpstreamResponse): UpstreamResponse | null {
  const coding = response.header('content-encoding')?.toLowerCase() ?? 'identity'
  if (coding === 'identity') return response
  const createDecoder = decoders.get(coding)
  if (createDecoder === undefined) return null
  return {
    ...response,
    pipe(sink) {
      const decoder = createDecoder()
      decoder.on('data', sink.data).on('end', sink.end).on('error', sink.fail)
      response.pipe({ data: (bytes) => void decoder.write(bytes), end: () => void decoder.end(), fail: sink.fail })
    },
  }
}
