import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** Reads a file that an operator named. @returns its text, or why it cannot be read, without any of its content */
export function readTextFile(path: string, bytesMax: number): { readonly text: string } | { readonly reason: string } {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    return { reason: reasonOf(error) }
  }
  try {
    if (fstatSync(file).isDirectory()) return { reason: 'is a folder' }
    const bytes = Buffer.alloc(bytesMax + 1)
    let length = 0
    // A pipe gives its content in parts.
    for (let read = 1; read > 0 && length < bytes.length; length += read) read = readSync(file, bytes, length, bytes.length - length, null)
    return length > bytesMax ? { reason: `has more than ${bytesMax} bytes` } : { text: bytes.toString('utf8', 0, length) }
  } catch (error) {
    return { reason: reasonOf(error) }
  } finally {
    closeSync(file)
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EISDIR: 'is a folder',
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return reasons[code] ?? `cannot be read (${code || 'unknown error'})`
}
