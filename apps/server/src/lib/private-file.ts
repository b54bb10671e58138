import { chmodSync, chownSync, closeSync, copyFileSync, fchownSync, lstatSync, mkdirSync, openSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

// Files and folders of an installation are for the account of its server only. A command that runs as root gives what it makes to that
// account: otherwise the server could not open it afterwards.

interface Owner {
  readonly uid: number
  readonly gid: number
}

/** Files that belong to the server's account wherever they are. */
const ownedNames = ['sluice.db', 'secret.key']

/**
 * Makes an empty file that only the server's account may use. The name must be free, so that the file is no link of somebody else's.
 * @returns its descriptor
 * @throws EEXIST, and what the system says
 */
export function createPrivateFile(path: string): number {
  const owner = ownerFor(dirname(path))
  const descriptor = openSync(path, 'wx', 0o600)
  try {
    if (owner !== null) fchownSync(descriptor, owner.uid, owner.gid)
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
  return descriptor
}

/** Makes the file if it does not exist. */
export function ensurePrivateFile(path: string): void {
  try {
    closeSync(createPrivateFile(path))
  } catch (error) {
    if (!isThereAlready(error)) throw error
  }
}

/** Copies a file to a name that is free. */
export function copyToPrivateFile(from: string, to: string): void {
  closeSync(createPrivateFile(to))
  copyFileSync(from, to)
  // A copy gets the mode of its source.
  chmodSync(to, 0o600)
}

/** Makes a folder, and those above it, where they are missing. */
export function makePrivateFolder(path: string): void {
  const last = resolve(path)
  const first = mkdirSync(last, { recursive: true, mode: 0o700 })
  const owner = first === undefined ? null : ownerFor(dirname(first))
  if (first === undefined || owner === null) return
  for (let folder = last; folder.length >= first.length; folder = dirname(folder)) chownSync(folder, owner.uid, owner.gid)
}

/** To whom a new file of a folder belongs if root makes it; `null` = whoever makes it. */
function ownerFor(folder: string): Owner | null {
  if (process.geteuid?.() !== 0) return null
  const paths = [...ownedNames.map((name) => join(folder, name)), folder]
  const known = paths.map((path) => lstatSync(path, { throwIfNoEntry: false })).find((stats) => stats?.isFile() || stats?.isDirectory())
  return known === undefined || known.uid === 0 ? null : { uid: known.uid, gid: known.gid }
}

function isThereAlready(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}
