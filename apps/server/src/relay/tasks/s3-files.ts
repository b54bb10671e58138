import { rm } from 'node:fs/promises'
import { S3Client } from 'bun'
import type { S3Place } from '../model/file-place.ts'
import { createDiskFiles } from './disk-files.ts'
import type { FileStore } from './file-store.ts'

const linkSeconds = 15 * 60

/** Files of a bucket at a store that speaks S3. @param folder holds each file until it is whole: an upload that ends early would be kept */
export function createS3Files({ endpoint, bucket, region, accessKeyId, secretAccessKey }: S3Place, folder: string): FileStore {
  const client = new S3Client({ endpoint, bucket, region, accessKeyId, secretAccessKey })
  const spool = createDiskFiles(folder)

  return {
    async write(name, parts) {
      await spool.write(name, parts)
      const path = spool.pathOf(name)
      try {
        await client.write(name, Bun.file(path), { retry: 3 })
      } finally {
        await rm(path, { force: true })
      }
    },
    async read(name, start, end) {
      const file = client.file(name)
      const size = await file.stat().then((found) => found.size, ifMissing)
      return size < end ? null : file.slice(start, end).stream()
    },
    async remove(name) {
      await client.delete(name)
    },
    room: spool.room,
    addressOf: (name) => client.presign(name, { method: 'GET', expiresIn: linkSeconds }),
  }
}

/** Every store answers with 404 about a file that it does not have, which the client names so. */
function ifMissing(error: unknown): number {
  if (error instanceof Error && 'code' in error && error.code === 'NoSuchKey') return -1
  throw error
}
