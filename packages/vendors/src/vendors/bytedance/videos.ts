import { isObject, textOr } from '../../core/is-object.ts'
import { joinUrl } from '../../core/join-url.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type {
  InputImage,
  RejectedTask,
  TaskContext,
  TaskCounts,
  TaskDialect,
  TaskParams,
  TaskReport,
  TaskResponse,
  TaskStep,
} from '../../core/task.ts'
import { anyWhole, flag, imageAddress, type Parameters, usually, without, wrongIn } from '../../core/task-parameter.ts'
import { numberOf } from '../../core/vendor-query.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { withoutFlags } from '../../protocols/tasks/prompt-flags.ts'
import {
  addressOf,
  failedWith,
  failureOf,
  firstStep,
  get,
  isOk,
  post,
  reportByStatus,
  segment,
  unreadable,
  withoutNull,
} from '../../protocols/tasks/step-parts.ts'
import { type ChosenFrame, chosenFrame, type FramedModel, frameFields, frameParameters } from '../../protocols/tasks/video-frame.ts'
import { lastFrameIn, refusal } from '../../protocols/tasks/video-request.ts'

// Videos of Seedance (Volcano Engine Ark, "ContentsGenerationsTasks", 1393047, and its parameters and responses as docs.apiyi.com, yunqi.tech and Baidu's
// interface of the same form, cloud.baidu.com, "smrvtaffr", quote them, read 2026-11-27). They are priced by tokens: width x height x frames / 1024.

interface SeedanceModel extends FramedModel {
  /** It makes audio, unless the request turns that off. */
  readonly hasAudio: boolean
}

const six = ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9']
const withAudio = { hasAudio: true, ratios: six } as const

/** Of 2.0 no page that could be read has the price of 1080p. */
const models: ReadonlyArray<readonly [model: RegExp, about: SeedanceModel]> = [
  [/^doubao-seedance-2-0/, { ...withAudio, seconds: { least: 4, most: 15 }, resolutions: ['720p', '480p'] }],
  [/^doubao-seedance-1-5-pro/, { ...withAudio, seconds: { least: 4, most: 12 }, resolutions: ['720p', '480p', '1080p'] }],
  [/^doubao-seedance-1-0/, { hasAudio: false, ratios: six, seconds: { least: 2, most: 12 }, resolutions: ['1080p', '720p', '480p'] }],
  [/seedance/, { ...withAudio, seconds: { least: 2, most: 15 }, resolutions: ['720p', '480p', '1080p'] }],
]

/** The most pixels of a frame, over all ratios. */
const pixelsMax: Readonly<Record<string, number>> = { '480p': 440_000, '720p': 970_000, '1080p': 2_100_000 }
const framesPerSecond = 24

/** Whether a model makes videos here. */
export function videosAtDoubao(model: string): boolean {
  return modelOf(model) !== null
}

function modelOf(model: string): SeedanceModel | null {
  return models.find(([name]) => name.test(model))?.[1] ?? null
}

function parametersOf(model: SeedanceModel): Parameters {
  return {
    ...frameParameters(model, 'ratio'),
    seed: anyWhole,
    camera_fixed: usually(false, flag),
    watermark: usually(false, flag),
    last_frame: imageAddress,
    ...(model.hasAudio ? { generate_audio: usually(true, flag) } : {}),
  }
}

export const doubaoVideos: TaskDialect = {
  secondsMax: 48 * 60 * 60,
  fields(name) {
    const model = modelOf(name)
    if (model === null) return null
    const parameters = without(parametersOf(model), ['duration', 'resolution', 'ratio'])
    return { ...frameFields(model), images: { least: 0, most: 1 }, parameters }
  },
  plan(rawParams) {
    const params = paramsIn(rawParams)
    const frame = frameFor(params)
    if ('refused' in frame) return frame
    const { seconds, size } = frame
    return { counts: countsOf(params, frame, tokensOf(frame)), seconds, ...(size === undefined ? {} : { size }) }
  },
  submit(context, rawParams, responses) {
    const params = paramsIn(rawParams)
    const frame = frameFor(params)
    if ('refused' in frame) return { failed: refusal(frame.refused) }
    return firstStep(
      responses,
      () => post(joinUrl(rootOf(context), path), bodyFor(context, params, frame)),
      (response) => {
        if (!isOk(response)) return { failed: refusedFor(response) }
        const id = isObject(response.json) ? textOr(response.json['id'], '') : ''
        return id === '' ? unreadable(response) : { done: { vendorId: id, memo: { ...countsOf(params, frame, 0) } } }
      },
    )
  },
  poll: (context, { vendorId, memo }, responses) =>
    firstStep(
      responses,
      () => get(joinUrl(rootOf(context), `${path}/${segment(vendorId)}`)),
      (response) => reported(context, response, memo),
    ),
}

/** The order as it is sent: without members of no value, and without flags in its prompt. */
function paramsIn(rawParams: TaskParams): TaskParams {
  const model = modelOf(rawParams.model)
  const params = withoutNull(rawParams)
  return model === null ? params : withoutFlags(params, { parameters: parametersOf(model), ratioName: 'ratio' })
}

const path = '/contents/generations/tasks'
const daySeconds = 86_400

/** The address with its version; a channel may give the host alone. */
function rootOf({ baseUrl }: TaskContext): string {
  return /\/v\d+\/?$/.test(baseUrl) ? baseUrl : joinUrl(baseUrl, '/api/v3')
}

function frameFor(params: TaskParams): ChosenFrame | RejectedTask {
  const { prompt, images, extra, size } = params
  const model = modelOf(params.model)
  if (model === null) return { refused: 'model' }
  const wrong = wrongIn(params, parametersOf(model))
  if (wrong !== null) return { refused: wrong }
  if (images.length > 1) return { refused: 'input_reference' }
  if (lastFrameIn(extra).length > 0 && images.length === 0) return { refused: 'last_frame' }
  if (prompt === '' && images.length === 0) return { refused: 'prompt' }
  // A first frame decides the ratio, unless the order names one.
  const isAdaptive = images.length > 0 && size === null && extra['ratio'] === undefined
  return chosenFrame(params, isAdaptive ? { ...model, ratios: [] } : model, 'ratio')
}

/** What a video takes at most; the vendor counts it when it is done. */
function tokensOf({ seconds, resolution }: ChosenFrame): number {
  return Math.ceil(((pixelsMax[resolution] ?? 2_100_000) * framesPerSecond * seconds) / 1024)
}

function countsOf({ extra }: TaskParams, { sizeKey }: ChosenFrame, credits: number): TaskCounts {
  return { credits, size: sizeKey, ...(extra['generate_audio'] === false ? { quality: 'silent' } : {}) }
}

function bodyFor(
  { webhook }: TaskContext,
  { model, prompt, images, extra }: TaskParams,
  { seconds, resolution, ratio }: ChosenFrame,
): JsonObject {
  const { seed, camera_fixed, watermark, generate_audio } = extra
  const content: Json[] = [
    ...(prompt === '' ? [] : [{ type: 'text', text: prompt }]),
    ...images.map((image) => framePart(image, 'first_frame')),
    ...lastFrameIn(extra).map((image) => framePart(image, 'last_frame')),
  ]
  return omitUndefined({
    ...{ model, content, resolution, ratio: ratio ?? 'adaptive', duration: seconds },
    ...{ seed, camera_fixed, watermark, generate_audio },
    callback_url: webhook ?? undefined,
  })
}

const framePart = (image: InputImage, role: string): JsonObject => ({ type: 'image_url', image_url: { url: addressOf(image) }, role })

const states: Readonly<Record<string, TaskReport['state']>> = {
  queued: 'queued',
  succeeded: 'completed',
  failed: 'failed',
  expired: 'failed',
  cancelled: 'cancelled',
}

function reported({ nowMs }: TaskContext, response: TaskResponse, memo: JsonObject): TaskStep<TaskReport | null> {
  return reportByStatus(response, {
    states,
    refused: refusedFor,
    failed: failureIn,
    completed: (json) => reportCompleted(json, memo, nowMs),
  })
}

function reportCompleted(json: JsonObject, memo: JsonObject, nowMs: number): { readonly done: TaskReport } {
  const url = isObject(json['content']) ? textOr(json['content']['video_url'], '') : ''
  if (!/^https?:\/\//.test(url)) return failedWith('no_result', 'the upstream service made no video')
  const report = {
    state: 'completed' as const,
    results: [{ variant: 'video' as const, url }],
    expiresAt: Math.floor(nowMs / 1000) + daySeconds,
    data: json,
  }
  return { done: { ...report, ...countedIn(json, memo) } }
}

function countedIn({ usage }: JsonObject, { size, quality }: JsonObject): Pick<TaskReport, 'counts'> {
  const tokens = isObject(usage) ? numberOf(usage['completion_tokens']) : null
  if (tokens === null || !Number.isSafeInteger(tokens) || tokens <= 0 || tokens > 1e9) return {}
  const named = { ...(typeof size === 'string' ? { size } : {}), ...(typeof quality === 'string' ? { quality } : {}) }
  return { counts: { credits: tokens, ...named } }
}

const isModerated = /Sensitive|RiskDetection|PolicyViolation/

function refusedFor(response: TaskResponse) {
  const failure = failureOf(response)
  return isModerated.test(failure.code ?? '') ? ({ ...failure, code: 'moderation_blocked' } as const) : failure
}

function failureIn({ error, status }: JsonObject): { readonly done: TaskReport } {
  const { code, message } = isObject(error) ? error : {}
  const name = textOr(code, status === 'expired' ? 'expired' : 'task_failed')
  return failedWith(isModerated.test(name) ? 'moderation_blocked' : name, textOr(message, ''))
}
