import type { TaskResult } from '@sluice/vendors/core/task'
import type { Db } from '../../db/connect.ts'
import type { Seal } from '../../lib/seal.ts'
import { readContent, saveContent } from './task-queries.ts'
import { purposeOf, type StoredTaskResult } from './task-texts.ts'

/** Contents that came with a vendor's response. They may be videos, so they are apart from what a list reads. */
export interface TaskContents {
  /** Keeps the contents of results, before their task ends. @returns the results as they are stored */
  keep(publicId: string, results: readonly TaskResult[]): Promise<readonly StoredTaskResult[]>
  /** `null`: none is kept, or it cannot be read. */
  read(publicId: string, place: number): Promise<Buffer | null>
}

export function createTaskContents({ db, seal }: { readonly db: Db; readonly seal: Seal }): TaskContents {
  return {
    async keep(publicId, results) {
      const stored: StoredTaskResult[] = []
      for (const [place, { base64, ...result }] of results.entries()) {
        if (base64 === undefined) stored.push(result)
        else {
          await saveContent(db, { task_id: publicId, place, content_sealed: seal.seal(base64, purposeOf(publicId)) })
          stored.push({ ...result, isKept: true })
        }
      }
      return stored
    },
    async read(publicId, place) {
      const sealed = await readContent(db, publicId, place)
      const base64 = sealed === undefined ? null : seal.tryOpen(sealed, purposeOf(publicId))
      return base64 === null ? null : Buffer.from(base64, 'base64')
    },
  }
}
