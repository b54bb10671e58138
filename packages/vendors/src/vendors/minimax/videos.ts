import type { Failure } from '../../core/failure.ts'
import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { InputImage, RejectedTask, TaskContext, TaskDialect, TaskParams, TaskReport, TaskResponse, TaskStep } from '../../core/task.ts'
import { flag, imageAddress, type Parameters, usually, without, wrongIn } from '../../core/task-parameter.ts'
import { numberOf } from '../../core/vendor-query.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
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
  withoutNull,
  wordsIn,
} from '../../protocols/tasks/step-parts.ts'
import { type ChosenFrame, chosenFrame, type FramedModel, frameFields, frameParameters } from '../../protocols/tasks/video-frame.ts'
import { lastFrameIn, refusal } from '../../protocols/tasks/video-request.ts'

// Videos of Hailuo (platform.minimax.io, "Create Text-to-Video Generation Task", "Query Video Generation Task Status" and "Retrieve File"; of H3 "Create
// Video Generation Task" and "Query Video Generation Task" of version 2, read 2026-11-27). A file is at an address for nine hours.

interface HailuoModel extends FramedModel {
  /** H3 has another interface than the models before it. */
  readonly version: 1 | 2
  readonly needsImage: boolean
  readonly hasLastFrame: boolean
  /** Lengths of a resolution, where it does not have all. */
  readonly only?: Readonly<Record<string, readonly number[]>>
}

const first = { version: 1, needsImage: false, hasLastFrame: false, ratios: [], resolutions: ['768P', '1080P'] } as const
const short = { '1080P': [6] } as const

const models: Readonly<Record<string, HailuoModel>> = {
  'MiniMax-H3': {
    ...{ version: 2, needsImage: false, hasLastFrame: true, seconds: { least: 5, most: 15 } },
    ...{ resolutions: ['768P', '2K'], ratios: ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'] },
  },
  'MiniMax-Hailuo-2.3': { ...first, seconds: [6, 10], only: short },
  // Its price for ten seconds is on no page that could be read.
  'MiniMax-Hailuo-2.3-Fast': { ...first, needsImage: true, seconds: [6] },
  'MiniMax-Hailuo-02': { ...first, hasLastFrame: true, seconds: [6, 10], only: short },
}

/** Whether a model makes videos here. */
export function videosAtMinimax(model: string): boolean {
  return Object.hasOwn(models, model)
}

function parametersOf(model: HailuoModel): Parameters {
  return {
    ...frameParameters(model, 'ratio'),
    ...(model.version === 1 ? { prompt_optimizer: usually(true, flag), fast_pretreatment: usually(false, flag) } : {}),
    ...(model.hasLastFrame ? { last_frame: imageAddress } : {}),
  }
}

export const minimaxVideos: TaskDialect = {
  secondsMax: 3 * 60 * 60,
  fields(name) {
    const model = lookUp(models, name)
    if (model === undefined) return null
    const parameters = without(parametersOf(model), ['duration', 'resolution', 'ratio'])
    return { ...frameFields(model), images: { least: model.needsImage ? 1 : 0, most: 1 }, parameters }
  },
  plan(rawParams) {
    const frame = frameFor(withoutNull(rawParams))
    if ('refused' in frame) return frame
    const { seconds, sizeKey, size } = frame
    // A second of a long video costs more than one of a short video.
    const quality = seconds === 10 && size === undefined ? { quality: '10s' } : {}
    return { counts: { seconds, size: sizeKey, ...quality }, seconds, ...(size === undefined ? {} : { size }) }
  },
  submit(context, rawParams, responses) {
    const params = withoutNull(rawParams)
    const frame = frameFor(params)
    if ('refused' in frame) return { failed: refusal(frame.refused) }
    const version = lookUp(models, params.model)?.version ?? 1
    return firstStep(
      responses,
      () => post(at(context, `/v${version}/video_generation`), version === 1 ? bodyFor(params, frame) : contentFor(params, frame)),
      (response) => {
        const failure = failureIn(response)
        if (failure !== null) return { failed: failure }
        const id = isObject(response.json) ? textOr(response.json['task_id'], '') : ''
        return id === '' ? unreadable(response) : { done: { vendorId: id, memo: { version } } }
      },
    )
  },
  poll: (context, { vendorId, memo }, responses) =>
    memo['version'] === 2 ? pollSecond(context, vendorId, responses) : pollFirst(context, vendorId, responses),
}

const nineHours = 9 * 60 * 60

const at = ({ baseUrl }: TaskContext, path: string): string => (URL.parse(baseUrl)?.origin ?? baseUrl) + path

function frameFor(params: TaskParams): ChosenFrame | RejectedTask {
  const { prompt, images, extra } = params
  const model = lookUp(models, params.model)
  if (model === undefined) return { refused: 'model' }
  const wrong = wrongIn(params, parametersOf(model))
  if (wrong !== null) return { refused: wrong }
  if (images.length > 1 || (model.needsImage && images.length === 0)) return { refused: 'input_reference' }
  if (lastFrameIn(extra).length > 0 && images.length === 0) return { refused: 'last_frame' }
  if (prompt === '' && (images.length === 0 || model.version === 2)) return { refused: 'prompt' }
  const frame = chosenFrame(params, model, 'ratio')
  if ('refused' in frame) return frame
  const lengths = model.only?.[frame.resolution]
  return lengths === undefined || lengths.includes(frame.seconds) ? frame : { refused: 'seconds' }
}

function bodyFor({ model, prompt, images, extra }: TaskParams, { seconds, resolution }: ChosenFrame): JsonObject {
  const [start] = images.map(addressOf)
  const [end] = lastFrameIn(extra).map(addressOf)
  const { prompt_optimizer, fast_pretreatment } = extra
  return omitUndefined({
    ...{ model, prompt: prompt === '' ? undefined : prompt, duration: seconds, resolution, prompt_optimizer, fast_pretreatment },
    ...{ first_frame_image: start, last_frame_image: end },
  })
}

function contentFor({ model, prompt, images, extra }: TaskParams, { seconds, resolution, ratio }: ChosenFrame): JsonObject {
  const content: Json[] = [
    { type: 'text', text: prompt },
    ...images.map((image) => framePart(image, 'first_frame')),
    ...lastFrameIn(extra).map((image) => framePart(image, 'last_frame')),
  ]
  return omitUndefined({ model, content, resolution, ratio, duration: seconds })
}

const framePart = (image: InputImage, role: string): JsonObject => ({ type: 'image_url', image_url: { url: addressOf(image) }, role })

const states: Readonly<Record<string, TaskReport['state']>> = {
  preparing: 'queued',
  queueing: 'queued',
  queued: 'queued',
  success: 'completed',
  succeeded: 'completed',
  fail: 'failed',
  failed: 'failed',
  cancelled: 'cancelled',
}

const stateOf = (status: Json | undefined): TaskReport['state'] => lookUp(states, textOr(status, '').toLowerCase()) ?? 'in_progress'

/** The state, and once it is done the address of the file that it names. */
function pollFirst(context: TaskContext, id: string, [statusResponse, file]: readonly TaskResponse[]): TaskStep<TaskReport | null> {
  if (statusResponse === undefined) return get(at(context, `/v1/query/video_generation?task_id=${segment(id)}`))
  if (statusResponse.status === 404) return { done: null }
  const { json } = statusResponse
  const state = isObject(json) ? stateOf(json['status']) : null
  if (state === 'failed') return failureOfTask(statusResponse)
  const failure = failureIn(statusResponse)
  if (failure !== null) return isUnknown(statusResponse) ? { done: null } : { failed: failure }
  if (!isObject(json) || state === null) return unreadable(statusResponse)
  if (state !== 'completed') return { done: { state } }
  if (file === undefined) return get(at(context, `/v1/files/retrieve?file_id=${segment(textOr(json['file_id'], ''))}`))
  const refused = failureIn(file)
  if (refused !== null) return { failed: refused }
  const fileObject = isObject(file.json) ? file.json['file'] : undefined
  return reportCompleted(context, isObject(fileObject) ? fileObject['download_url'] : undefined, json)
}

function pollSecond(context: TaskContext, id: string, [response]: readonly TaskResponse[]): TaskStep<TaskReport | null> {
  if (response === undefined) return get(at(context, `/v2/query/video_generation/${segment(id)}`))
  if (response.status === 404 || isUnknown(response)) return { done: null }
  const failure = failureIn(response)
  if (failure !== null) return { failed: failure }
  const task = isObject(response.json) ? response.json['task'] : undefined
  if (!isObject(task)) return unreadable(response)
  const state = stateOf(task['status'])
  if (state === 'failed') return failureOfTask({ ...response, json: task })
  if (state !== 'completed') return { done: { state } }
  const content = isObject(task['content']) ? task['content'] : {}
  return reportCompleted(context, content['url'] ?? content['video_url'], task)
}

function reportCompleted({ nowMs }: TaskContext, url: Json | undefined, data: JsonObject): { readonly done: TaskReport } {
  if (typeof url !== 'string' || !/^https?:\/\//.test(url)) return failedWith('no_result', 'the upstream service made no video')
  return { done: { state: 'completed', results: [{ variant: 'video', url }], expiresAt: Math.floor(nowMs / 1000) + nineHours, data } }
}

/** The code and the words of a response, which may come with status 200 (`base_resp`). */
function codeAndMessage({ json }: TaskResponse): { readonly code: number; readonly message: string } {
  const body = isObject(json) ? json : {}
  const base = isObject(body['base_resp']) ? body['base_resp'] : {}
  const error = isObject(body['error']) ? body['error'] : {}
  return {
    code: numberOf(base['status_code']) ?? numberOf(error['code']) ?? 0,
    message: wordsIn(textOr(base['status_msg'], textOr(error['message'], textOr(body['error_message'], '')))),
  }
}

const isModerated = (code: number): boolean => code === 1026 || code === 1027

function failureIn(response: TaskResponse): Failure | null {
  const { code } = codeAndMessage(response)
  if (isOk(response) && code === 0) return null
  const failure = failureOf(response)
  if (isModerated(code)) return { ...failure, kind: 'bad_request', code: 'moderation_blocked' }
  return isOk(response) ? { ...failure, kind: lookUp(kinds, String(code)) ?? 'bad_request' } : failure
}

/** Those of the "Error codes" that concern more than the order. */
const kinds: Readonly<Record<string, Failure['kind']>> = {
  1000: 'unavailable',
  1001: 'unavailable',
  1002: 'rate_limited',
  1004: 'bad_key',
  1008: 'no_quota',
  1013: 'unavailable',
  1033: 'unavailable',
  1039: 'rate_limited',
  1041: 'rate_limited',
  2049: 'bad_key',
}

const isUnknown = (response: TaskResponse): boolean =>
  /invalid task_?id|task.{0,200}not (?:exist|found)/i.test(codeAndMessage(response).message)

function failureOfTask(response: TaskResponse): { readonly done: TaskReport } {
  const { code, message } = codeAndMessage(response)
  return failedWith(
    isModerated(code) ? 'moderation_blocked' : code === 0 ? 'task_failed' : String(code),
    message === 'success' ? '' : message,
  )
}
