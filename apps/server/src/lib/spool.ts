import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { ByteQueue } from '@sluice/http1/byte-queue'
import { AppError } from './app-error.ts'
import type { Reached } from './failpoints.ts'
import { isStorageFull } from './storage-full.ts'

/** Bytes that are written once, in order, and read as often as needed. */
export interface Spool {
  readonly byteLength: number
  /** @throws AppError storage_full, temporary_files_unavailable */
  append(bytes: Uint8Array): Promise<void>
  /** From `start` up to, not including, `end`. @throws AppError storage_full, temporary_files_unavailable */
  read(start: number, end: number): AsyncGenerator<Uint8Array>
  /** Frees memory and disk; may be called twice. */
  close(): Promise<void>
}

const readBytes = 256 * 1024
/** Beyond this, the bytes go to the disk. */
const memoryBytesMax = 256 * 1024
/** Small pieces are written together. */
const writeBytes = 64 * 1024

interface SpoolDeps {
  readonly reached: Reached
  /** Folders for the file; the first that takes it is used. */
  readonly folders: readonly string[]
}

interface SpoolsDeps extends SpoolDeps {
  /** Called once for each folder that takes no files. */
  readonly report: (problem: string) => void
}

/** Tries whether temporary files can be made. @returns what opens a spool, whether they can or not */
export async function openSpools(deps: SpoolsDeps): Promise<() => Spool> {
  await tryFolders(deps)
  return () => createSpool(deps)
}

/** Keeps few bytes in memory and more in a file. The file is unlinked at once, so that the system frees it when it is closed. */
export function createSpool({ reached, folders }: SpoolDeps): Spool {
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
        file ??= await openInFirst(folders)
        await toFile(file)
      } catch (cause) {
        throw unavailable(cause)
      }
    },
    async *read(start, end) {
      if (file === null) {
        const part = takeHeld().subarray(start, end)
        if (part.length > 0) yield part
        return
      }
      await toFile(file).catch((cause: unknown) => {
        throw unavailable(cause)
      })
      for (let at = start; at < end; ) {
        const { bytesRead, buffer } = await file
          .read(Buffer.alloc(Math.min(readBytes, end - at)), 0, undefined, at)
          .catch((cause: unknown) => {
            throw unavailable(cause)
          })
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

/** The error that a client gets if a temporary file fails. */
function unavailable(cause: unknown): AppError {
  return new AppError(isStorageFull(cause) ? 'storage_full' : 'temporary_files_unavailable', { cause, retryAfterSeconds: 5 })
}

async function tryFolders({ folders, report }: SpoolsDeps): Promise<void> {
  for (const folder of folders) {
    try {
      const file = await openNameless(folder)
      return await file.close()
    } catch (error) {
      report(`temporary files of large requests cannot be written to ${folder}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  report('large request bodies are refused until TMPDIR or DATA_DIR is writable')
}

/** A full folder is not left for another one: there the database needs the room. @throws what the last folder says */
async function openInFirst([folder = '', ...others]: readonly string[]): Promise<FileHandle> {
  try {
    return await openNameless(folder)
  } catch (error) {
    if (others.length === 0 || isStorageFull(error)) throw error
    return await openInFirst(others)
  }
}

async function openNameless(folder: string): Promise<FileHandle> {
  const path = join(folder, `sluice-${Bun.randomUUIDv7()}`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}
