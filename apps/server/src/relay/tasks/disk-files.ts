import { open, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { ensurePrivateFile, makePrivateFolder } from '../../lib/private-file.ts'
import type { FileStore } from './file-store.ts'

/** What a copy leaves of the disk: the database needs it more. */
const spareBytes = 1024 * 1024 * 1024

const ending = '.part'

export interface DiskFiles extends FileStore {
  pathOf(name: string): string
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
        await rename(begun, pathOf(name))
      } catch (error) {
        await rm(begun, { force: true })
        throw error
      }
    },
    async read(name, start, end) {
      const size = await stat(pathOf(name)).then(
        (found) => found.size,
        () => -1,
      )
      return size < end ? null : Bun.file(pathOf(name)).slice(start, end).stream()
    },
    async remove(name) {
      await rm(pathOf(name), { force: true })
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
