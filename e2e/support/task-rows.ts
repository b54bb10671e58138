import type { CreatableTaskKind, TaskState } from '@sluice/contract'
import { isTaskEnd } from '@sluice/contract'
import { randomHex128 } from '../../apps/server/src/lib/id.ts'
import { createTaskContents } from '../../apps/server/src/relay/tasks/task-contents.ts'
import { createTaskTexts } from '../../apps/server/src/relay/tasks/task-texts.ts'
import type { TestApp } from '../../apps/server/test/app.ts'
import { damagedSeal } from '../../apps/server/test/damaged-seal.ts'

interface TaskResult {
  readonly variant: 'video' | 'thumbnail' | 'image' | 'audio' | 'text'
  readonly text?: string
  readonly contentType?: string
  readonly base64?: string
}

/** A task that a test writes without ordering it. */
export interface TaskToInsert {
  readonly userId: number
  readonly channelId: number
  readonly kind: CreatableTaskKind
  readonly model: string
  readonly prompt: string
  readonly state: TaskState
  readonly progress?: number
  readonly seconds?: number
  readonly size?: string
  readonly quota: number
  /** Seconds since the epoch. */
  readonly createdAt: number
  /** Seconds that it took. */
  readonly took?: number
  readonly error?: { readonly code: string; readonly message: string }
  readonly results?: readonly TaskResult[]
  /** Its order and its results were sealed with another master key. */
  readonly isUnreadable?: boolean
}

const prefixes: Readonly<Record<CreatableTaskKind, string>> = { videos: 'video_', songs: 'song_', pictures: 'task_' }

export async function insertTask({ app, seal }: Pick<TestApp, 'app' | 'seal'>, task: TaskToInsert): Promise<void> {
  const { userId, channelId, kind, model, prompt, state, progress = 0, seconds = null, size = null, quota, createdAt, took = 0 } = task
  const { isUnreadable = false } = task
  const { db } = app.store
  const publicId = `${prefixes[kind]}${randomHex128()}`
  const texts = createTaskTexts(seal, '')
  const results = await createTaskContents({ db, seal }).keep(publicId, task.results ?? [])
  const isOver = isTaskEnd(state)
  await db
    .insertInto('tasks')
    .values({
      ...{ public_id: publicId, user_id: userId, token_id: 0, request_id: Bun.randomUUIDv7(), kind, action: 'create' },
      ...{ model, upstream_model: model, group_name: 'default', state, stage: isOver ? 'ended' : 'running', progress },
      ...{ channel_id: channelId, channel_type: 0, idempotency_key: publicId, next_poll_ms: null, give_up_at: createdAt + 172_800 },
      order_sealed: isUnreadable
        ? damagedSeal
        : texts.sealParams(publicId, { prompt, seconds, size, pictures: [], isPartial: false, source: null, extra: {} }),
      result_sealed: isUnreadable ? damagedSeal : results.length === 0 ? '' : texts.sealResult(publicId, { results, data: null }),
      ...{ error_code: task.error?.code ?? '', error_message: task.error?.message ?? '' },
      price: JSON.stringify({ seconds, size }),
      ...{ held: quota, charged: state === 'completed' ? quota : 0 },
      ...{ created_at: createdAt, ended_at: isOver ? createdAt + took : 0 },
    })
    .execute()
}
