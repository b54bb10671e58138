import type { FilePlace } from '../model/file-place.ts'
import { createDiskFiles } from './disk-files.ts'
import type { FileStore } from './file-store.ts'
import { timedFiles } from './file-store-timeouts.ts'
import { createS3Files, type S3Deps } from './s3-files.ts'

export function createFileStore({ folder, s3 }: FilePlace, deps: S3Deps): FileStore {
  return timedFiles(s3 === null ? createDiskFiles(folder) : createS3Files(s3, folder, deps), deps)
}
