import { openaiVideos } from '../openai/videos.ts'
import type { TaskDialect, TaskKind } from './task.ts'

/** The dialects of every kind of task. A vendor record can only name one of these. */
export const taskTable = {
  videos: { openai: openaiVideos },
  songs: {},
  pictures: {},
} as const satisfies Record<TaskKind, Record<string, TaskDialect>>

/** kind -> dialect, or which one a model has (`null`: none). */
export type TaskNames = {
  readonly [K in TaskKind]?: keyof (typeof taskTable)[K] | ((model: string) => keyof (typeof taskTable)[K] | null)
}
