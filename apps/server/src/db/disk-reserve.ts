import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { open, rm, stat, statfs } from 'node:fs/promises'
import type { Reached } from '../lib/failpoints.ts'
import { ensurePrivateFile } from '../lib/private-file.ts'
import type { StoreEvents } from './owned-connection.ts'

/**
 * A file that reserves disk space beside the database. It is deleted when the disk is full, so that running requests can still be
 * settled, and written again when the disk has room.
 */
export interface DiskReserve {
  /** Deletes the file. */
  spend(): void
  /** Writes the file again. `false`: the disk has too little room. */
  restore(): Promise<boolean>
}

/** Written in pieces, to use little memory and not block the event loop. */
const pieceBytes = 1024 * 1024

interface ReserveOptions {
  readonly path: string
  readonly bytes: number
  readonly reached: Reached
  readonly report: StoreEvents['report']
}

export function createDiskReserve({ path, bytes, reached, report }: ReserveOptions): DiskReserve {
  let isMissed = false

  async function fill(): Promise<void> {
    // Random bytes, which no file system can compress.
    const piece = randomBytes(Math.min(pieceBytes, bytes))
    ensurePrivateFile(path)
    const file = await open(path, 'w', 0o600)
    try {
      for (let written = 0; written < bytes; written += piece.length) {
        reached('reserve-made')
        await file.write(piece, 0, Math.min(piece.length, bytes - written))
      }
      await file.datasync()
    } finally {
      await file.close()
    }
  }

  async function hasRoom(): Promise<boolean> {
    const { bavail, bsize } = await statfs(path.slice(0, path.lastIndexOf('/')) || '.')
    // Twice the size, so that the reserve itself does not fill the disk.
    return bavail * bsize > 2 * bytes
  }

  async function make(): Promise<boolean> {
    const known = await stat(path).catch(() => null)
    if (known !== null && known.size >= bytes) return true
    if (!(await hasRoom())) return false
    try {
      await fill()
      return true
    } catch {
      await rm(path, { force: true })
      return false
    }
  }

  return {
    spend() {
      rmSync(path, { force: true })
      isMissed = true
      report('disk full: new requests are refused until there is room for the reserve', null)
    },
    async restore() {
      const isThere = await make()
      if (isThere && isMissed) report('disk has room again', null)
      if (!isThere && !isMissed) report('disk has no room for the reserve: new requests are refused', null)
      isMissed = !isThere
      return isThere
    },
  }
}
