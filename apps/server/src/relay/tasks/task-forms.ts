import { isObject } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import type { TaskRow } from './task-queries.ts'
import { priceOf, type StoredResult, type TaskTexts } from './task-texts.ts'

// How clients see a task.

/** OpenAI has four states; what was stopped or given up has failed there. */
const videoStates: Readonly<Record<string, string>> = { cancelled: 'failed', expired: 'failed' }

/** OpenAI API reference, "The video object", read 2026-11-23. */
export function videoObject(row: TaskRow, texts: TaskTexts): JsonObject {
  const { prompt, source } = texts.taskParamsOf(row)
  const { seconds, size } = priceOf(row)
  return {
    id: row.public_id,
    object: 'video',
    created_at: row.created_at,
    status: videoStates[row.state] ?? row.state,
    model: row.model,
    progress: row.progress,
    completed_at: row.state === 'completed' ? row.ended_at : null,
    expires_at: row.expires_at === 0 ? null : row.expires_at,
    prompt,
    size,
    seconds: seconds === null ? null : String(seconds),
    remixed_from_video_id: source,
    error: errorOf(row),
  }
}

function errorOf({ error_code: code, error_message: message }: TaskRow): Json {
  return code === '' ? null : { code, message }
}

/** States of Suno-API (docs.newapi.pro, "Suno Music", read 2026-11-23). */
const songStates: Readonly<Record<string, string>> = {
  queued: 'QUEUED',
  in_progress: 'IN_PROGRESS',
  completed: 'SUCCESS',
  failed: 'FAILURE',
  cancelled: 'FAILURE',
  expired: 'FAILURE',
}

/** A song as clients of Suno-API know it; `data` are its clips, or its words, as the vendor made them. */
export function songObject(row: TaskRow, texts: TaskTexts): JsonObject {
  const data = texts.resultOf(row)?.data ?? null
  return {
    task_id: row.public_id,
    notify_hook: '',
    action: row.action.toUpperCase(),
    status: songStates[row.state] ?? 'UNKNOWN',
    fail_reason: row.error_message === '' ? row.error_code : row.error_message,
    submit_time: row.created_at,
    start_time: row.state === 'queued' ? 0 : row.created_at,
    finish_time: row.ended_at,
    progress: `${row.progress}%`,
    data: isObject(data) ? (data['data'] ?? null) : data,
  }
}

/** The plain form of every kind of task. Costs are quota: what is reserved for it, and what was charged at its end. */
export function taskObject(row: TaskRow, texts: TaskTexts): JsonObject {
  const { prompt, source } = texts.taskParamsOf(row)
  const { seconds, size } = priceOf(row)
  const result = texts.resultOf(row)
  return {
    id: row.public_id,
    object: 'task',
    kind: row.kind,
    action: row.action,
    model: row.model,
    status: row.state,
    progress: row.progress,
    created_at: row.created_at,
    completed_at: row.ended_at === 0 ? null : row.ended_at,
    expires_at: row.expires_at === 0 ? null : row.expires_at,
    prompt,
    seconds,
    size,
    source,
    estimated_quota: row.held,
    charged_quota: row.ended_at === 0 ? null : row.charged,
    results: result === null ? [] : resultsOf(row, result, texts),
    unreadable: [...texts.unreadableOf(row)],
    error: errorOf(row),
  }
}

/** Results as addresses of this server, because the vendor's may need its key or expire; texts as they are. */
function resultsOf({ public_id: id }: TaskRow, { results }: StoredResult, { resultPath }: TaskTexts): JsonObject[] {
  return results.map(({ variant, text, contentType }, index) => ({
    variant,
    ...(text === undefined ? { url: resultPath(id, index) } : { text }),
    ...(contentType === undefined ? {} : { content_type: contentType }),
  }))
}
