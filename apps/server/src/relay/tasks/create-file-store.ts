import type { FilePlace } from '../model/file-place.ts'
import { createDiskFiles } from './disk-files.ts'
import type { FileStore } from './file-store.ts'
import { createS3Files } from './s3-files.ts'
import { type Timing, timedFiles } from './timed-files.ts'

export function createFileStore({ folder, s3 }: FilePlace, timing: Timing): FileStore {
  return timedFiles(s3 === null ? createDiskFiles(folder) : createS3Files(s3, folder), timing)
}
