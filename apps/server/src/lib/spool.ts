import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ByteQueue } from '@sluice/http1/byte-queue'
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
  /** Frees memory and disk; may be called twice. */
  close(): Promise<void>
}

const readBytes = 256 * 1024
/** Beyond this, the bytes go to the disk. */
const memoryBytesMax = 256 * 1024
/** Small pieces are written together. */
const writeBytes = 64 * 1024

/** Keeps few bytes in memory and more in a file. The file is unlinked at once, so that the system frees it when it is closed. */
export function createSpool(reached: Reached): Spool {
  /** Bytes that are not in the file yet. */
  const held = new ByteQueue()
  let byteLength = 0
  let file: FileHandle | null = null
  /** Bytes that are in the file or are being written. */
  let fileBytes = 0
  let written = Promise.resolve()

  async function write(target: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
    reached('spool-written')
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await target.write(bytes, done, bytes.length - done, at + done)
      done += bytesWritten
    }
  }

  /** Resolves when all bytes held so far are in the file. */
  function toFile(target: FileHandle): Promise<void> {
    const [bytes, at] = [held.takeAll(), fileBytes]
    fileBytes += bytes.length
    if (bytes.length > 0) written = written.then(() => write(target, bytes, at))
    return written
  }

  function takeHeld(): Uint8Array {
    const all = held.takeAll()
    held.push(all)
    return all
  }

  return {
    get byteLength() {
      return byteLength
    },
    async append(bytes) {
      byteLength += bytes.length
      held.push(bytes)
      if (file === null ? byteLength <= memoryBytesMax : held.byteLength < writeBytes) return
      try {
        file ??= await openNameless()
        await toFile(file)
      } catch (cause) {
        throw isStorageFull(cause) ? new AppError('storage_full', { cause, retryAfterSeconds: 5 }) : cause
      }
    },
    async *read(start, end) {
      if (file === null) {
        const part = takeHeld().subarray(start, end)
        if (part.length > 0) yield part
        return
      }
      await toFile(file)
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
      held.clear()
      await written.catch(() => undefined)
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
