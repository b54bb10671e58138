import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** Longest wait for somebody to write into a pipe. */
const pipeMs = 5_000
const pauseMs = 20

/** Why a file cannot be read, without any of its content. */
interface Unreadable {
  readonly reason: string
}

/** Reads a file of UTF-8 that an operator named. */
export function readTextFile(path: string, bytesMax: number): { readonly text: string } | Unreadable {
  const file = readNamedFile(path, bytesMax)
  return 'reason' in file ? file : textOf(file.bytes)
}

/** Reads a file that an operator named, or what is written into a pipe. */
export function readNamedFile(path: string, bytesMax: number): { readonly bytes: Buffer } | Unreadable {
  let file: number
  try {
    // A pipe into which nobody writes would hold up the start for ever.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    return { reason: reasonOf(error) }
  }
  try {
    const stats = fstatSync(file)
    if (stats.isDirectory()) return { reason: 'is a folder' }
    const bytes = Buffer.alloc(bytesMax + 1)
    const length = stats.isFIFO() ? readPipe(file, bytes) : readAll(file, bytes)
    return length > bytesMax ? { reason: `has more than ${bytesMax} bytes` } : { bytes: bytes.subarray(0, length) }
  } catch (error) {
    return { reason: reasonOf(error) }
  } finally {
    closeSync(file)
  }
}

/** @returns how many bytes were read */
function readAll(file: number, bytes: Buffer): number {
  let length = 0
  for (let read = 1; read > 0 && length < bytes.length; length += read) read = readSync(file, bytes, length, bytes.length - length, null)
  return length
}

/** The end of a pipe is also what is read before anybody has opened it for writing. @returns how many bytes were read */
function readPipe(file: number, bytes: Buffer): number {
  let length = 0
  for (let waitedMs = 0; waitedMs < pipeMs; ) {
    const read = readNow(file, bytes, length)
    if (read === 0 && length > 0) break
    if (read > 0) length += read
    if (length === bytes.length) break
    if (read > 0) continue
    Bun.sleepSync(pauseMs)
    waitedMs += pauseMs
  }
  return length
}

/** @returns how many bytes were read; 0 = the end, -1 = there are none yet */
function readNow(file: number, bytes: Buffer, at: number): number {
  try {
    return readSync(file, bytes, at, bytes.length - at, null)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return -1
    throw error
  }
}

function textOf(bytes: Uint8Array): { readonly text: string } | Unreadable {
  try {
    // A mark of the byte order in front is left out.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return { text }
  } catch {
    // Said below, for both.
  }
  return { reason: 'is not text in UTF-8 (editors of Windows may write UTF-16)' }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EISDIR: 'is a folder',
  EACCES: 'is not readable by this user',
  EPERM: 'is not readable by this user',
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return reasons[code] ?? `cannot be read (${code || 'unknown error'})`
}
