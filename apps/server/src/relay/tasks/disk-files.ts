import { lstat, open, readdir, rename, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { ensurePrivateFile, makePrivateFolder } from '../../lib/private-file.ts'
import type { FileStore } from './file-store.ts'

/** What a copy leaves of the disk: the database needs it more. */
const spareBytes = 1024 * 1024 * 1024

const ending = '.part'

export interface DiskFiles extends FileStore {
  pathOf(name: string): string
}

/** Length of a file; -1: it is missing, may not be read, or is no file. Whoever serves it must know before the response begins. */
async function readableBytes(path: string): Promise<number> {
  const file = await open(path, 'r').catch(() => null)
  if (file === null) return -1
  try {
    const stats = await file.stat()
    return stats.isFile() ? stats.size : -1
  } finally {
    await file.close()
  }
}

/** Puts a file in the place of another one, or of whatever else is there. */
async function replace(from: string, to: string): Promise<void> {
  const isFolder = (await lstat(to).catch(() => null))?.isDirectory() === true
  if (isFolder) await rm(to, { recursive: true })
  await rename(from, to)
}

/** Files of a folder, which is made when the first one is written. */
export function createDiskFiles(folder: string): DiskFiles {
  const pathOf = (name: string): string => join(folder, name)
  let isReady: Promise<void> | null = null
  let writes = 0

  /** Makes the folder, and deletes what a killed process had begun. */
  async function prepare(): Promise<void> {
    makePrivateFolder(folder)
    for (const name of await readdir(folder)) if (name.endsWith(ending)) await rm(pathOf(name), { force: true })
  }

  function ready(): Promise<void> {
    isReady ??= prepare().catch((error: unknown) => {
      isReady = null
      throw error
    })
    return isReady
  }

  return {
    async write(name, parts) {
      await ready()
      // A write that was given up may still run.
      writes += 1
      const begun = `${pathOf(name)}.${writes}${ending}`
      try {
        ensurePrivateFile(begun)
        const file = await open(begun, 'w', 0o600)
        try {
          for await (const part of parts) await file.writeFile(part)
          await file.sync()
        } finally {
          await file.close()
        }
        await replace(begun, pathOf(name))
      } catch (error) {
        await rm(begun, { force: true })
        throw error
      }
    },
    async read(name, start, end) {
      return (await readableBytes(pathOf(name))) < end ? null : Bun.file(pathOf(name)).slice(start, end).stream()
    },
    async remove(name) {
      await rm(pathOf(name), { force: true, recursive: true })
    },
    fileBytesMax: Number.POSITIVE_INFINITY,
    async room() {
      await ready()
      const { bavail, bsize } = await statfs(folder)
      return Math.max(0, bavail * bsize - spareBytes)
    },
    addressOf: () => null,
    pathOf,
  }
}
