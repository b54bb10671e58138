import { isObject, lookUp, textOr } from '../is-object.ts'
import { joinUrl } from '../join-url.ts'
import type { Json, JsonObject } from '../json.ts'
import { addressOf, failedWith, failureOf, firstStep, get, given, isOk, post, segment, unknownIn, unreadable } from '../tasks/step-parts.ts'
import type { RunningTask, TaskContext, TaskDialect, TaskOrder, TaskReport, TaskResult } from '../tasks/task.ts'

// OpenAI's videos (API reference, "Videos", read 2026-11-23), which are also what most servers of videos offer their clients.

const defaultSize = { width: 720, height: 1280 }
const defaultSeconds = 4

/** Sizes that have a price (OpenAI, "Pricing", read 2026-11-23); every other is refused, because it has none. */
const sizes: readonly string[] = ['720x1280', '1280x720', '1024x1792', '1792x1024', '1080x1920', '1920x1080']

const secondsMax = 20

/** `size` of the price's factors: the shorter side, which is what OpenAI lists. */
const resolutions: Readonly<Record<string, string>> = { 720: '720p', 1024: '1024p', 1080: '1080p' }

const states: Readonly<Record<string, TaskReport['state']>> = {
  queued: 'queued',
  in_progress: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
}

const variants = ['video', 'thumbnail', 'spritesheet'] as const

export const openaiVideos: TaskDialect = {
  actions: ['remix', 'edit', 'extend'],
  secondsMax: 6 * 60 * 60,
  plan(order) {
    const unknown = unknownIn(order, [])
    if (unknown !== null) return { refused: unknown }
    const size = order.size ?? defaultSize
    const text = `${size.width}x${size.height}`
    const seconds = order.seconds ?? defaultSeconds
    if (!sizes.includes(text)) return { refused: 'size' }
    if (!Number.isInteger(seconds) || seconds < 1 || seconds > secondsMax) return { refused: 'seconds' }
    if (order.pictures.length > 1) return { refused: 'input_reference' }
    const short = String(Math.min(size.width, size.height))
    return { counts: { seconds, size: resolutions[short] ?? text }, seconds, size: text }
  },
  submit: (context, order, answers) =>
    firstStep(
      answers,
      () => post(addressFor(context, order), bodyFor(order), { 'idempotency-key': context.idempotencyKey }),
      (answer) => {
        if (!isOk(answer)) return { failed: failureOf(answer) }
        const { json } = answer
        if (!isObject(json) || typeof json['id'] !== 'string' || json['id'] === '') return unreadable(answer)
        return { done: { vendorId: json['id'], memo: {}, report: reportOf(context, json) } }
      },
    ),
  poll: (context, task, answers) =>
    firstStep(
      answers,
      () => get(addressOfTask(context, task)),
      (answer) => {
        if (answer.status === 404) return { done: null }
        if (!isOk(answer)) return { failed: failureOf(answer) }
        return isObject(answer.json) ? { done: reportOf(context, answer.json) } : unreadable(answer)
      },
    ),
  remove: (context, task, answers) =>
    firstStep(
      answers,
      () => ({ request: { method: 'DELETE', url: addressOfTask(context, task) } }),
      (answer) => (isOk(answer) || answer.status === 404 ? { done: true } : { failed: failureOf(answer) }),
    ),
}

function addressOfTask({ baseUrl }: TaskContext, { vendorId }: Pick<RunningTask, 'vendorId'>): string {
  return joinUrl(baseUrl, `/v1/videos/${segment(vendorId)}`)
}

const below: Readonly<Record<string, string>> = { edit: '/edits', extend: '/extensions' }

function addressFor(context: TaskContext, { action, source }: TaskOrder): string {
  if (action === 'remix' && source !== null) return `${addressOfTask(context, source)}/remix`
  return joinUrl(context.baseUrl, `/v1/videos${below[action] ?? ''}`)
}

function bodyFor({ action, model, prompt, seconds, size, pictures, source }: TaskOrder): JsonObject {
  if (action === 'remix') return { prompt }
  if (action === 'edit') return { prompt, video: { id: source?.vendorId ?? '' } }
  if (action === 'extend') return { prompt, video: { id: source?.vendorId ?? '' }, seconds: String(seconds ?? defaultSeconds) }
  const [picture] = pictures
  return given({
    model,
    prompt,
    seconds: seconds === null ? undefined : String(seconds),
    size: size === null ? undefined : `${size.width}x${size.height}`,
    input_reference: picture === undefined ? undefined : { image_url: addressOf(picture) },
  })
}

/** What a video object says. Unknown states are work in progress. */
function reportOf({ baseUrl }: TaskContext, video: JsonObject): TaskReport {
  const { id, status, progress, error, expires_at: expiresAt } = video
  const state = lookUp(states, textOr(status, '')) ?? 'in_progress'
  const known = { state, ...(isPercent(progress) ? { progress } : {}), data: video }
  if (state === 'failed') {
    const { code, message } = isObject(error) ? error : {}
    return { ...known, ...failedWith(textOr(code, 'task_failed'), textOr(message, '')).done }
  }
  if (state !== 'completed') return known
  const address = joinUrl(baseUrl, `/v1/videos/${segment(textOr(id, ''))}/content`)
  const results = variants.map((variant): TaskResult => ({ variant, url: variant === 'video' ? address : `${address}?variant=${variant}` }))
  const counted = Number(video['seconds'])
  return {
    ...known,
    results,
    ...(Number.isInteger(counted) && counted > 0 && counted <= 600 ? { counts: { seconds: counted } } : {}),
    ...(typeof expiresAt === 'number' ? { expiresAt } : {}),
  }
}

function isPercent(value: Json | undefined): value is number {
  return typeof value === 'number' && value >= 0 && value <= 100
}
