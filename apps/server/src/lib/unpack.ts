import { Readable, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { AppError } from './app-error.ts'
import { createMutex } from './mutex.ts'
import type { Spool } from './spool.ts'

/** Decompresses bodies of requests. */
export interface Unpacker {
  /**
   * Receives the whole packed body and decompresses it then, so that no slow client occupies a decoder.
   * @throws AppError body_too_large, unsupported_encoding, encoding_invalid, storage_full, and what receiving throws
   */
  unpack(packed: AsyncIterable<Uint8Array>, coding: string, bytesMax: number): AsyncGenerator<Uint8Array>
}

/** Decoders that work at the same time. Each may take 16 MiB for its window (Brotli). */
const longAtOnce = 1
/** Decoders for bodies of at most `shortBytes` packed bytes, so that these do not wait for long ones. */
const shortAtOnce = 1
const shortBytes = 64 * 1024

/** Bytes of each output buffer: large ones can be freed at once (`openBodyRoom`). */
const chunkSize = 128 * 1024

const decoders: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', () => createGunzip({ chunkSize })],
  ['x-gzip', () => createGunzip({ chunkSize })],
  ['deflate', () => createInflate({ chunkSize })],
  ['br', () => createBrotliDecompress({ chunkSize })],
  // Every decoder should support a window of 8 MiB (RFC 8878, 3.1.1.1.2); with a larger one the client would decide how much memory we use.
  ['zstd', () => createZstdDecompress({ chunkSize, params: { [constants.ZSTD_d_windowLogMax]: 23 } })],
])

/** A body may always decompress to this size. Beyond it, one that grows by more than `growthMax` counts as a decompression bomb. */
const alwaysBytes = 1024 * 1024
const growthMax = 20

export function createUnpacker(openSpool: () => Spool): Unpacker {
  const longOnes = createMutex(longAtOnce)
  const shortOnes = createMutex(shortAtOnce)
  return {
    async *unpack(packed, coding, bytesMax) {
      const createDecoder = decoders.get(coding)
      if (createDecoder === undefined) throw new AppError('unsupported_encoding', { params: { encoding: coding.slice(0, 40) } })
      const spool = openSpool()
      try {
        for await (const chunk of packed) await spool.append(chunk)
        const release = await (spool.byteLength > shortBytes ? longOnes : shortOnes).acquire()
        try {
          yield* decode(spool, createDecoder(), bytesMax)
        } finally {
          release()
        }
      } finally {
        await spool.close()
      }
    },
  }
}

async function* decode(packed: Spool, decoder: Transform, bytesMax: number): AsyncGenerator<Uint8Array> {
  const mostBytes = Math.min(bytesMax, Math.max(alwaysBytes, packed.byteLength * growthMax))
  const source = Readable.from(packed.read(0, packed.byteLength))
  source.on('error', (error) => decoder.destroy(error))
  let length = 0
  try {
    for await (const chunk of source.pipe(decoder)) {
      length += chunk.length
      if (length > mostBytes) throw tooLarge(bytesMax)
      yield chunk
    }
  } catch (cause) {
    throw cause instanceof AppError ? cause : new AppError('encoding_invalid', { cause })
  } finally {
    source.destroy()
    decoder.destroy()
  }
}

export function tooLarge(limit: number): AppError {
  return new AppError('body_too_large', { params: { limit } })
}
