import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from './app-error.ts'
import type { Reached } from './failpoints.ts'
import { isStorageFull } from './storage-full.ts'

/** Bytes that are written once, in order, and read as often as needed. */
export interface Spool {
  readonly byteLength: number
  /** @throws AppError storage_full */
  append(bytes: Uint8Array): Promise<void>
  /** From `start` up to, not including, `end`. */
  read(start: number, end: number): AsyncGenerator<Uint8Array>
  /** Gives memory and disk back; may be called twice. */
  close(): Promise<void>
}

const readBytes = 256 * 1024
/** What is more than that goes to the disk. */
const memoryBytesMax = 256 * 1024

/** Keeps a little in memory, and everything in a file once it is more. The file has no name, so that it ends with its reader. */
export function createSpool(reached: Reached): Spool {
  let chunks: Uint8Array[] = []
  let byteLength = 0
  let file: FileHandle | null = null

  async function write(target: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
    reached('spool-written')
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await target.write(bytes, written, bytes.length - written, at + written)
      written += bytesWritten
    }
  }

  async function toFile(bytes: Uint8Array, at: number): Promise<void> {
    if (file === null) {
      file = await openNameless()
      await write(file, Buffer.concat(chunks), 0)
      chunks = []
    }
    await write(file, bytes, at)
  }

  return {
    get byteLength() {
      return byteLength
    },
    async append(bytes) {
      const at = byteLength
      byteLength += bytes.length
      if (file === null && byteLength <= memoryBytesMax) {
        // A copy: a chunk is often a small view of a large buffer, and would keep all of it.
        chunks.push(Uint8Array.from(bytes))
        return
      }
      try {
        await toFile(bytes, at)
      } catch (cause) {
        throw isStorageFull(cause) ? new AppError('storage_full', { cause, retryAfterSeconds: 5 }) : cause
      }
    },
    async *read(start, end) {
      if (file === null) {
        const held = Buffer.concat(chunks).subarray(start, end)
        if (held.length > 0) yield held
        return
      }
      for (let at = start; at < end; ) {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(readBytes, end - at)), 0, undefined, at)
        if (bytesRead === 0) throw new Error('the file of a kept body is shorter than what was written')
        at += bytesRead
        yield buffer.subarray(0, bytesRead)
      }
    },
    async close() {
      const open = file
      file = null
      chunks = []
      await open?.close()
    },
  }
}

async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `sluice-${Bun.randomUUIDv7()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}
