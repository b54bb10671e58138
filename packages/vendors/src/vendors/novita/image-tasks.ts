import { asNumber, isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { TaskContext, TaskDialect, TaskParams, TaskReport, TaskResponse, TaskStep } from '../../core/task.ts'
import { anyText, fits, numberBetween, type Parameters, usually, wholeBetween, wrongIn } from '../../core/task-parameter.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { failedWith, failureOf, firstStep, get, isOk, post, segment, unreadable } from '../../protocols/tasks/step-parts.ts'
import { textOf } from '../../protocols/tasks/video-size.ts'

// Images of Novita (novita.ai/docs, "Text to Image", "Qwen-Image Text to Image" and "Task Result", stored copies read 2026-11-24). A model is the
// file of a checkpoint, or the name of a call of its own. `z-image-turbo` ended on 2026-08-19 ("Model API Updates" of 2026-08-03, read 2026-11-27); it is
// sent where a channel still names it, and the vendor responds with its error.

/** The path of a call has the name of its model. */
const ownCall = /^(?:qwen-image|hunyuan-image-\d|z-image-turbo)(?:-txt2img)?$/
const checkpoint = /^[\w.-]+\.safetensors$/

/** Whether a model makes images here. */
export function drawsAtNovita(model: string): boolean {
  return ownCall.test(model) || checkpoint.test(model)
}

const side = wholeBetween(128, 2048)
const usual = { width: 1024, height: 1024 }

/** There have to be values of these, so they are sent if the client names none. */
const ofEveryCheckpoint = { steps: 20, seed: -1, guidance_scale: 7.5, sampler_name: 'Euler a' }

const ofCheckpoints: Parameters = {
  negative_prompt: anyText,
  seed: usually(ofEveryCheckpoint.seed, wholeBetween(-1, 4_294_967_295)),
  steps: usually(ofEveryCheckpoint.steps, wholeBetween(1, 100)),
  guidance_scale: usually(ofEveryCheckpoint.guidance_scale, numberBetween(1, 30)),
  sampler_name: usually(ofEveryCheckpoint.sampler_name, anyText),
  sd_vae: anyText,
  clip_skip: wholeBetween(1, 12),
}

const ofOwnCalls: Parameters = { seed: wholeBetween(-1, 2_147_483_647) }

const sizes = ['1024x1024', '1280x720', '720x1280', '1536x1024', '1024x1536']

export const novitaImageTasks: TaskDialect = {
  secondsMax: 60 * 60,
  fields: (model) =>
    drawsAtNovita(model)
      ? { seconds: null, sizes, usualSize: textOf(usual), images: { least: 0, most: 0 }, parameters: parametersOf(model) }
      : null,
  plan(params) {
    const refused = refusedIn(params)
    if (refused !== null) return { refused }
    const { width, height } = params.size ?? usual
    return { counts: { images: 1, size: `${width}x${height}` }, size: `${width}x${height}` }
  },
  submit: (context, params, responses) =>
    firstStep(
      responses,
      () => post(`${originOf(context)}/v3/async/${checkpoint.test(params.model) ? 'txt2img' : callOf(params.model)}`, bodyFor(params)),
      (response) => {
        if (!isOk(response)) return { failed: failureOf(response) }
        const id = isObject(response.json) ? response.json['task_id'] : undefined
        return typeof id === 'string' && id !== '' ? { done: { vendorId: id, memo: {} } } : unreadable(response)
      },
    ),
  poll: (context, { vendorId }, responses) =>
    firstStep(
      responses,
      () => get(`${originOf(context)}/v3/async/task-result?task_id=${segment(vendorId)}`),
      (response) => reported(context, response),
    ),
}

function refusedIn(params: TaskParams): string | null {
  const { model, prompt, size, images } = params
  if (!drawsAtNovita(model)) return 'model'
  const wrong = wrongIn(params, parametersOf(model))
  if (wrong !== null) return wrong
  if (prompt === '' || prompt.length > 2_000) return 'prompt'
  if (images.length > 0) return 'image'
  return size === null || (fits(side, size.width) && fits(side, size.height)) ? null : 'size'
}

function parametersOf(model: string): Parameters {
  return checkpoint.test(model) ? ofCheckpoints : ofOwnCalls
}

function callOf(model: string): string {
  return model.startsWith('qwen-image') ? 'qwen-image-txt2img' : model
}

function bodyFor({ model, prompt, size, extra }: TaskParams): JsonObject {
  const { width, height } = size ?? usual
  if (!checkpoint.test(model)) return omitUndefined({ prompt, size: `${width}*${height}`, seed: extra['seed'] })
  const { negative_prompt, seed, steps, guidance_scale, sampler_name, sd_vae, clip_skip } = extra
  const request = omitUndefined({
    ...{ model_name: model, prompt, negative_prompt, width, height, image_num: 1, sd_vae, clip_skip },
    steps: steps ?? ofEveryCheckpoint.steps,
    seed: seed ?? ofEveryCheckpoint.seed,
    guidance_scale: guidance_scale ?? ofEveryCheckpoint.guidance_scale,
    sampler_name: sampler_name ?? ofEveryCheckpoint.sampler_name,
  })
  return { extra: { response_image_type: 'png' }, request }
}

/** The address of its chats has a path of its own. */
function originOf({ baseUrl }: TaskContext): string {
  return URL.parse(baseUrl)?.origin ?? baseUrl
}

const states: Readonly<Record<string, TaskReport['state']>> = {
  TASK_STATUS_QUEUED: 'queued',
  TASK_STATUS_PROCESSING: 'in_progress',
  TASK_STATUS_SUCCEED: 'completed',
  TASK_STATUS_FAILED: 'failed',
  TASK_STATUS_CANCELED: 'cancelled',
}

function reported(context: TaskContext, response: TaskResponse): TaskStep<TaskReport | null> {
  if (response.status === 404) return { done: null }
  if (!isOk(response)) return { failed: failureOf(response) }
  const { json } = response
  const task = isObject(json) ? json['task'] : undefined
  if (!isObject(json) || !isObject(task)) return unreadable(response)
  const state = lookUp(states, textOr(task['status'], '')) ?? 'in_progress'
  const reason = textOr(task['reason'], '')
  if (state === 'failed') return failedWith(/nsfw|sensitive|moderat/i.test(reason) ? 'moderation_blocked' : 'task_failed', reason)
  if (state !== 'completed') return { done: { state, ...progressIn(task) } }
  return reportCompleted(context, json)
}

function progressIn({ progress_percent: progress }: JsonObject): { readonly progress?: number } {
  return typeof progress === 'number' && progress >= 0 && progress <= 100 ? { progress } : {}
}

function reportCompleted({ nowMs }: TaskContext, response: JsonObject): { readonly done: TaskReport } {
  const images = (Array.isArray(response['images']) ? response['images'] : [])
    .filter(isObject)
    .filter(({ image_url: url }) => isAddress(url))
  if (images.length === 0) return failedWith('no_result', 'the upstream service returned no image')
  const lives = images.map(({ image_url_ttl: ttl }) => asNumber(ttl)).filter((seconds) => seconds > 0 && seconds < 1e8)
  return {
    done: {
      state: 'completed',
      results: images.map(({ image_url: url }) => ({ variant: 'image', url: textOr(url, '') })),
      ...(lives.length === 0 ? {} : { expiresAt: Math.floor(nowMs / 1000 + lives.reduce((least, seconds) => Math.min(least, seconds))) }),
      data: response,
    },
  }
}

function isAddress(value: Json | undefined): boolean {
  return typeof value === 'string' && /^https?:\/\//.test(value)
}
