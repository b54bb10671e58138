import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import { joinUrl } from '../../core/join-url.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { RejectedTask, TaskContext, TaskDialect, TaskParams, TaskReport, TaskResponse, TaskResult, TaskStep } from '../../core/task.ts'
import { flag, lengthInPlace, oneOf, type Parameters, usually, without, wrongIn } from '../../core/task-parameter.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { isLength } from '../../protocols/tasks/lengths.ts'
import {
  addressOf,
  failedWith,
  failureOf,
  firstStep,
  get,
  isOk,
  post,
  segment,
  unreadable,
  wordsIn,
} from '../../protocols/tasks/step-parts.ts'
import { durationOf, refusal } from '../../protocols/tasks/video-request.ts'
import { textOf } from '../../protocols/tasks/video-size.ts'

// Videos of CogVideoX (docs.bigmodel.cn, "Video generation (asynchronous)" and "Query an asynchronous result", read 2026-11-24).

const sizes = ['1280x720', '720x1280', '1024x1024', '1920x1080', '1080x1920', '2048x1080', '3840x2160']
/** Always sent. */
const usualSize = '1920x1080'
const usualSeconds = 5
const lengths = [5, 10]
const promptMax = 512
/** The first and the last frame. */
const framesMax = 2

/** With the defaults of that page, which are not sent. */
const parameters: Parameters = {
  quality: usually('speed', oneOf(['speed', 'quality'])),
  with_audio: usually(false, flag),
  watermark_enabled: flag,
  fps: usually(30, oneOf([30, 60])),
  duration: lengthInPlace,
}

/** Models that make videos. */
export function makesVideos(model: string): boolean {
  return /^cogvideox/.test(model)
}

interface VideoParams {
  readonly seconds: number
  readonly size: string
}

export const zhipuVideos: TaskDialect = {
  secondsMax: 2 * 60 * 60,
  fields: (model) =>
    makesVideos(model)
      ? {
          ...{ seconds: lengths, usualSeconds, sizes, usualSize },
          images: { least: 0, most: framesMax },
          parameters: without(parameters, ['duration']),
        }
      : null,
  plan(taskParams) {
    const params = paramsOf(taskParams)
    return 'refused' in params ? params : { counts: { calls: 1 }, ...params }
  },
  submit: (context, taskParams, responses) => {
    const params = paramsOf(taskParams)
    if ('refused' in params) return { failed: refusal(params.refused) }
    return firstStep(
      responses,
      () => post(joinUrl(rootOf(context), '/videos/generations'), bodyFor(context, taskParams, params)),
      (response) => {
        if (!isOk(response)) return { failed: failureIn(response) }
        const id = isObject(response.json) ? response.json['id'] : undefined
        return typeof id === 'string' && id !== '' ? { done: { vendorId: id, memo: {} } } : unreadable(response)
      },
    )
  },
  poll: (context, { vendorId }, responses) =>
    firstStep(responses, () => get(joinUrl(rootOf(context), `/async-result/${segment(vendorId)}`)), reported),
}

function paramsOf(taskParams: TaskParams): VideoParams | RejectedTask {
  const { prompt, images, size } = taskParams
  const wrong = wrongIn(taskParams, parameters)
  if (wrong !== null) return { refused: wrong }
  if (prompt.length > promptMax || (prompt === '' && images.length === 0)) return { refused: 'prompt' }
  if (images.length > framesMax) return { refused: 'input_reference' }
  const seconds = durationOf(taskParams, { otherwise: usualSeconds, isPossible: (length) => isLength(lengths, length) })
  if (typeof seconds !== 'number') return seconds
  const text = size === null ? usualSize : textOf(size)
  return sizes.includes(text) ? { seconds, size: text } : { refused: 'size' }
}

/** The address with its version; a channel may give the host alone. */
function rootOf({ baseUrl }: TaskContext): string {
  return /^https?:\/\/[^/]+\/?$/.test(baseUrl) ? joinUrl(baseUrl, '/api/paas/v4') : baseUrl
}

function bodyFor(
  { idempotencyKey }: TaskContext,
  { model, prompt, images, extra }: TaskParams,
  { seconds, size }: VideoParams,
): JsonObject {
  const frames = images.map(addressOf)
  const { quality, with_audio, watermark_enabled, fps } = extra
  return omitUndefined({
    model,
    prompt: prompt === '' ? undefined : prompt,
    image_url: frames.length > 1 ? frames : frames[0],
    duration: seconds,
    size,
    quality,
    with_audio,
    watermark_enabled,
    fps,
    request_id: idempotencyKey,
  })
}

const states: Readonly<Record<string, TaskReport['state']>> = { PROCESSING: 'in_progress', SUCCESS: 'completed', FAIL: 'failed' }

function reported(response: TaskResponse): TaskStep<TaskReport | null> {
  if (response.status === 404 || isMissing(response)) return { done: null }
  if (!isOk(response)) return { failed: failureIn(response) }
  const { json } = response
  if (!isObject(json)) return unreadable(response)
  const state = lookUp(states, textOr(json['task_status'], '')) ?? 'in_progress'
  if (state === 'failed') return failureOfTask(json)
  if (state !== 'completed') return { done: { state } }
  const results = resultsIn(json['video_result'])
  return results.some(({ variant }) => variant === 'video')
    ? { done: { state, results, data: json } }
    : failedWith('no_result', 'the upstream service made no video')
}

/** Its code for an id that it does not know comes with status 400 or 200. */
function isMissing({ json }: TaskResponse): boolean {
  const error = isObject(json) ? json['error'] : undefined
  return isObject(error) && /task.{0,200}(?:not exist|not found)|任务不存在/i.test(wordsIn(error['message']))
}

/** What was refused for what it shows names the level of the filter or the code 1301. */
function failureOfTask({ error, content_filter: filter }: JsonObject): { readonly done: TaskReport } {
  const { code, message } = isObject(error) ? error : {}
  const isModerated = textOr(code, '') === moderation || (Array.isArray(filter) && filter.length > 0)
  return failedWith(isModerated ? 'moderation_blocked' : textOr(code, 'task_failed'), textOr(message, ''))
}

function resultsIn(output: Json | undefined): TaskResult[] {
  return (Array.isArray(output) ? output : [])
    .filter(isObject)
    .flatMap(({ url, cover_image_url: cover }): TaskResult[] => [
      ...(isAddress(url) ? [{ variant: 'video' as const, url }] : []),
      ...(isAddress(cover) ? [{ variant: 'thumbnail' as const, url: cover }] : []),
    ])
}

function isAddress(value: Json | undefined): value is string {
  return typeof value === 'string' && /^https?:\/\//.test(value)
}

const moderation = '1301'

function failureIn(response: TaskResponse) {
  const failure = failureOf(response)
  return failure.code === moderation ? ({ ...failure, code: 'moderation_blocked' } as const) : failure
}
