import type { Db } from '../../db/connect.ts'
import { taskObject } from './task-forms.ts'
import type { TaskRow } from './task-queries.ts'
import { readAnyTask } from './task-queries.ts'
import type { TaskTexts } from './task-texts.ts'

/** A task as its followers see it. */
export interface WatchedTask {
  /** JSON. */
  readonly text: string
  readonly isEnded: boolean
}

/** Looks at tasks for those who follow them: once a second for each task, however many follow it. */
export interface TaskWatch {
  /** @param seen called after each look; `null`: the task cannot be read any more @returns ends it */
  follow(publicId: string, seen: (task: WatchedTask | null) => void): () => void
  asWatched(row: TaskRow): WatchedTask
}

interface WatchDeps {
  readonly db: Db
  readonly texts: TaskTexts
}

const lookMs = 1_000

type Follower = (task: WatchedTask | null) => void

export function createTaskWatch({ db, texts }: WatchDeps): TaskWatch {
  const followed = new Map<string, Set<Follower>>()

  const asWatched = (row: TaskRow): WatchedTask => ({ text: JSON.stringify(taskObject(row, texts)), isEnded: row.stage === 'ended' })

  async function read(publicId: string): Promise<WatchedTask | null> {
    const row = await readAnyTask(db, publicId)
    return row === undefined ? null : asWatched(row)
  }

  function lookLater(publicId: string, followers: Set<Follower>): void {
    setTimeout(() => void look(publicId, followers), lookMs)
  }

  /** Ends when nobody follows the task any more. */
  async function look(publicId: string, followers: Set<Follower>): Promise<void> {
    if (followers.size > 0) {
      const task = await read(publicId).catch(() => null)
      for (const seen of [...followers]) seen(task)
    }
    if (followers.size > 0) lookLater(publicId, followers)
    else if (followed.get(publicId) === followers) followed.delete(publicId)
  }

  return {
    asWatched,
    follow(publicId, seen) {
      const known = followed.get(publicId)
      const followers = known ?? new Set<Follower>()
      followers.add(seen)
      if (known === undefined) {
        followed.set(publicId, followers)
        lookLater(publicId, followers)
      }
      return () => followers.delete(seen)
    },
  }
}
