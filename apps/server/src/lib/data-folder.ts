import { accessSync, constants, existsSync, type Stats, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { makePrivateFolder } from './private-file.ts'

// File permissions are checked before anything is opened, because SQLite only says that it is "unable to open database file".

/** What a server opens in its folder: names and the rights that it needs. */
const files: ReadonlyArray<readonly [name: string, rights: number]> = [
  ...['sluice.db', 'sluice.db-wal', 'sluice.db-shm', 'sluice.db.lock'].map((name) => [name, constants.R_OK | constants.W_OK] as const),
  ['secret.key', constants.R_OK],
  ['secret.key.next', constants.R_OK],
]

/** The folder cannot be used; the message names the path, its owner, this process and what to do. */
class DataFolderError extends Error {
  /** Not a mistake of the program. */
  readonly code = 'DATA_DIR'
}

/**
 * Makes the data folder where it is missing, and checks that this process may use it and the files in it.
 * @throws DataFolderError
 */
export function openDataFolder(dataDir: string): void {
  assertFolder(dataDir)
  try {
    makePrivateFolder(dataDir)
  } catch (cause) {
    throw new DataFolderError(`the folder ${dataDir} (DATA_DIR) cannot be created: ${reasonOf(cause, dataDir, dataDir)}`, { cause })
  }
  assertUsable(dataDir)
}

/**
 * Checks what is there, and makes nothing.
 * @throws DataFolderError
 */
export function assertUsable(dataDir: string): void {
  assertFolder(dataDir)
  if (!existsSync(dataDir)) return
  assertRights(dataDir, constants.R_OK | constants.W_OK | constants.X_OK, dataDir)
  for (const [name, rights] of files) {
    const path = join(dataDir, name)
    assertRights(path, rights, dataDir)
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
      throw new DataFolderError(`${path} is a folder, and must be a file: move it away`)
  }
}

function assertFolder(dataDir: string): void {
  // What may not be seen is explained by the check of the rights.
  if (existsSync(dataDir) && !statSync(dataDir).isDirectory())
    throw new DataFolderError(`DATA_DIR is ${dataDir}, which is not a folder: set it to a folder`)
}

function assertRights(path: string, rights: number, dataDir: string): void {
  try {
    accessSync(path, rights)
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return
    throw new DataFolderError(`the folder ${dataDir} (DATA_DIR) cannot be used: ${reasonOf(cause, dataDir, path)}`, { cause })
  }
}

function reasonOf(cause: unknown, folder: string, path: string): string {
  return describeRefusal(cause, { folder, path, chown: 'chown -R' }) ?? (cause instanceof Error ? cause.message : String(cause))
}

interface Refused {
  /** It should belong to the process, and may be missing. */
  readonly folder: string
  /** In the folder, or the folder itself. */
  readonly path: string
  /** The command for a folder that exists. */
  readonly chown: 'chown' | 'chown -R'
}

/**
 * Why this process may not use a file or a folder: to whom it belongs, who the process is, and the command that mends it.
 * @returns `null`: the error is of another kind
 */
function describeRefusal(error: unknown, { folder, path, chown }: Refused): string | null {
  const code = codeOf(error)
  if (code === 'EROFS') return `${path} is on a file system that is read-only; mount a volume at ${folder}`
  if (code !== 'EACCES' && code !== 'EPERM') return null
  const target = resolve(folder)
  const { place, stats } = nearest(resolve(path))
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0]
  const mode = (stats.mode & 0o777).toString(8).padStart(3, '0')
  // Never what is above the folder: files of others are there.
  const isThere = place === target || place.startsWith(`${target}/`)
  const opening = stats.uid === uid ? `${chown.replace('chown', 'chmod')} u+rwX ${target}` : `${chown} ${uid}:${gid} ${target}`
  const command = isThere ? opening : `install -d -o ${uid} -g ${gid} -m 700 ${target}`
  return `${place} belongs to uid ${stats.uid}, gid ${stats.gid} (mode ${mode}), and this process has uid ${uid}, gid ${gid}. As root, run: ${command}`
}

/**
 * Explains an error of the system that names a path, for commands with an explicit output path.
 * @returns `null`: it is another error
 */
export function explainRefusal(error: unknown): string | null {
  if (!(error instanceof Error && 'path' in error && typeof error.path === 'string')) return null
  const isFolder = 'syscall' in error && error.syscall === 'mkdir'
  return describeRefusal(error, { folder: isFolder ? error.path : dirname(error.path), path: error.path, chown: 'chown' })
}

/** The path, or the nearest folder above it, that this process can see. */
function nearest(path: string): { readonly place: string; readonly stats: Stats } {
  try {
    return { place: path, stats: statSync(path) }
  } catch (error) {
    const above = dirname(path)
    if (above === path) throw error
    return nearest(above)
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
