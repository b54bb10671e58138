import type { Failure } from '../../core/failure.ts'
import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { RefusedOrder, SentPicture, TaskAnswer, TaskContext, TaskDialect, TaskOrder, TaskReport, TaskStep } from '../../core/task.ts'
import { flag, type Parameters, pictureAddress, usually, without, wrongIn } from '../../core/task-parameter.ts'
import { numberOf } from '../../core/vendor-query.ts'
import { given } from '../../protocols/shared/chat-parts.ts'
import { type ChosenFrame, chosenFrame, type FramedModel, frameFields, frameParameters } from '../../protocols/tasks/chosen-frame.ts'
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
import { lastFrameIn, refusal } from '../../protocols/tasks/video-order.ts'

// Videos of Hailuo (platform.minimax.io, "Create Text-to-Video Generation Task", "Query Video Generation Task Status" and "Retrieve File"; of H3 "Create
// Video Generation Task" and "Query Video Generation Task" of version 2, read 2026-11-27). A file is at an address for nine hours.

interface HailuoModel extends FramedModel {
  /** H3 has another interface than the models before it. */
  readonly version: 1 | 2
  readonly needsPicture: boolean
  readonly hasLastFrame: boolean
  /** Lengths of a resolution, where it does not have all. */
  readonly only?: Readonly<Record<string, readonly number[]>>
}

const first = { version: 1, needsPicture: false, hasLastFrame: false, ratios: [], resolutions: ['768P', '1080P'] } as const
const short = { '1080P': [6] } as const

const models: Readonly<Record<string, HailuoModel>> = {
  'MiniMax-H3': {
    ...{ version: 2, needsPicture: false, hasLastFrame: true, seconds: { least: 5, most: 15 } },
    ...{ resolutions: ['768P', '2K'], ratios: ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'] },
  },
  'MiniMax-Hailuo-2.3': { ...first, seconds: [6, 10], only: short },
  // Its price for ten seconds is on no page that could be read.
  'MiniMax-Hailuo-2.3-Fast': { ...first, needsPicture: true, seconds: [6] },
  'MiniMax-Hailuo-02': { ...first, hasLastFrame: true, seconds: [6, 10], only: short },
}

/** Whether a model makes videos here. */
export function filmsAtMinimax(model: string): boolean {
  return Object.hasOwn(models, model)
}

function parametersOf(model: HailuoModel): Parameters {
  return {
    ...frameParameters(model, 'ratio'),
    ...(model.version === 1 ? { prompt_optimizer: usually(true, flag), fast_pretreatment: usually(false, flag) } : {}),
    ...(model.hasLastFrame ? { last_frame: pictureAddress } : {}),
  }
}

export const minimaxVideos: TaskDialect = {
  secondsMax: 3 * 60 * 60,
  fields(name) {
    const model = lookUp(models, name)
    if (model === undefined) return null
    const parameters = without(parametersOf(model), ['duration', 'resolution', 'ratio'])
    return { ...frameFields(model), pictures: { least: model.needsPicture ? 1 : 0, most: 1 }, parameters }
  },
  plan(told) {
    const wish = wishOf(withoutNull(told))
    if ('refused' in wish) return wish
    const { seconds, sizeKey, size } = wish
    // A second of a long video costs more than one of a short video.
    const quality = seconds === 10 && size === undefined ? { quality: '10s' } : {}
    return { counts: { seconds, size: sizeKey, ...quality }, seconds, ...(size === undefined ? {} : { size }) }
  },
  submit(context, told, answers) {
    const order = withoutNull(told)
    const wish = wishOf(order)
    if ('refused' in wish) return { failed: refusal(wish.refused) }
    const version = lookUp(models, order.model)?.version ?? 1
    return firstStep(
      answers,
      () => post(at(context, `/v${version}/video_generation`), version === 1 ? bodyFor(order, wish) : contentFor(order, wish)),
      (answer) => {
        const failure = failureIn(answer)
        if (failure !== null) return { failed: failure }
        const id = isObject(answer.json) ? textOr(answer.json['task_id'], '') : ''
        return id === '' ? unreadable(answer) : { done: { vendorId: id, memo: { version } } }
      },
    )
  },
  poll: (context, { vendorId, memo }, answers) =>
    memo['version'] === 2 ? pollSecond(context, vendorId, answers) : pollFirst(context, vendorId, answers),
}

const nineHours = 9 * 60 * 60

const at = ({ baseUrl }: TaskContext, path: string): string => (URL.parse(baseUrl)?.origin ?? baseUrl) + path

function wishOf(order: TaskOrder): ChosenFrame | RefusedOrder {
  const { prompt, pictures, extra } = order
  const model = lookUp(models, order.model)
  if (model === undefined) return { refused: 'model' }
  const wrong = wrongIn(order, parametersOf(model))
  if (wrong !== null) return { refused: wrong }
  if (pictures.length > 1 || (model.needsPicture && pictures.length === 0)) return { refused: 'input_reference' }
  if (lastFrameIn(extra).length > 0 && pictures.length === 0) return { refused: 'last_frame' }
  if (prompt === '' && (pictures.length === 0 || model.version === 2)) return { refused: 'prompt' }
  const wish = chosenFrame(order, model, 'ratio')
  if ('refused' in wish) return wish
  const lengths = model.only?.[wish.resolution]
  return lengths === undefined || lengths.includes(wish.seconds) ? wish : { refused: 'seconds' }
}

function bodyFor({ model, prompt, pictures, extra }: TaskOrder, { seconds, resolution }: ChosenFrame): JsonObject {
  const [start] = pictures.map(addressOf)
  const [end] = lastFrameIn(extra).map(addressOf)
  const { prompt_optimizer, fast_pretreatment } = extra
  return given({
    ...{ model, prompt: prompt === '' ? undefined : prompt, duration: seconds, resolution, prompt_optimizer, fast_pretreatment },
    ...{ first_frame_image: start, last_frame_image: end },
  })
}

function contentFor({ model, prompt, pictures, extra }: TaskOrder, { seconds, resolution, ratio }: ChosenFrame): JsonObject {
  const content: Json[] = [
    { type: 'text', text: prompt },
    ...pictures.map((picture) => framePart(picture, 'first_frame')),
    ...lastFrameIn(extra).map((picture) => framePart(picture, 'last_frame')),
  ]
  return given({ model, content, resolution, ratio, duration: seconds })
}

const framePart = (picture: SentPicture, role: string): JsonObject => ({ type: 'image_url', image_url: { url: addressOf(picture) }, role })

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
function pollFirst(context: TaskContext, id: string, [said, file]: readonly TaskAnswer[]): TaskStep<TaskReport | null> {
  if (said === undefined) return get(at(context, `/v1/query/video_generation?task_id=${segment(id)}`))
  if (said.status === 404) return { done: null }
  const { json } = said
  const state = isObject(json) ? stateOf(json['status']) : null
  if (state === 'failed') return failureOfTask(said)
  const failure = failureIn(said)
  if (failure !== null) return isUnknown(said) ? { done: null } : { failed: failure }
  if (!isObject(json) || state === null) return unreadable(said)
  if (state !== 'completed') return { done: { state } }
  if (file === undefined) return get(at(context, `/v1/files/retrieve?file_id=${segment(textOr(json['file_id'], ''))}`))
  const refused = failureIn(file)
  if (refused !== null) return { failed: refused }
  const found = isObject(file.json) ? file.json['file'] : undefined
  return madeIn(context, isObject(found) ? found['download_url'] : undefined, json)
}

function pollSecond(context: TaskContext, id: string, [said]: readonly TaskAnswer[]): TaskStep<TaskReport | null> {
  if (said === undefined) return get(at(context, `/v2/query/video_generation/${segment(id)}`))
  if (said.status === 404 || isUnknown(said)) return { done: null }
  const failure = failureIn(said)
  if (failure !== null) return { failed: failure }
  const task = isObject(said.json) ? said.json['task'] : undefined
  if (!isObject(task)) return unreadable(said)
  const state = stateOf(task['status'])
  if (state === 'failed') return failureOfTask({ ...said, json: task })
  if (state !== 'completed') return { done: { state } }
  const content = isObject(task['content']) ? task['content'] : {}
  return madeIn(context, content['url'] ?? content['video_url'], task)
}

function madeIn({ nowMs }: TaskContext, url: Json | undefined, data: JsonObject): { readonly done: TaskReport } {
  if (typeof url !== 'string' || !/^https?:\/\//.test(url)) return failedWith('no_result', 'the upstream service made no video')
  return { done: { state: 'completed', results: [{ variant: 'video', url }], expiresAt: Math.floor(nowMs / 1000) + nineHours, data } }
}

/** The code and the words of an answer, which may come with status 200 (`base_resp`). */
function saidIn({ json }: TaskAnswer): { readonly code: number; readonly message: string } {
  const body = isObject(json) ? json : {}
  const base = isObject(body['base_resp']) ? body['base_resp'] : {}
  const error = isObject(body['error']) ? body['error'] : {}
  return {
    code: numberOf(base['status_code']) ?? numberOf(error['code']) ?? 0,
    message: wordsIn(textOr(base['status_msg'], textOr(error['message'], textOr(body['error_message'], '')))),
  }
}

const isModerated = (code: number): boolean => code === 1026 || code === 1027

function failureIn(answer: TaskAnswer): Failure | null {
  const { code } = saidIn(answer)
  if (isOk(answer) && code === 0) return null
  const failure = failureOf(answer)
  if (isModerated(code)) return { ...failure, kind: 'bad_request', code: 'moderation_blocked' }
  return isOk(answer) ? { ...failure, kind: lookUp(kinds, String(code)) ?? 'bad_request' } : failure
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

const isUnknown = (answer: TaskAnswer): boolean => /invalid task_?id|task.{0,200}not (?:exist|found)/i.test(saidIn(answer).message)

function failureOfTask(answer: TaskAnswer): { readonly done: TaskReport } {
  const { code, message } = saidIn(answer)
  return failedWith(
    isModerated(code) ? 'moderation_blocked' : code === 0 ? 'task_failed' : String(code),
    message === 'success' ? '' : message,
  )
}
