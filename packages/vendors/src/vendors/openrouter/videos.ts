import type { Failure } from '../../core/failure.ts'
import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import { joinUrl } from '../../core/join-url.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { InputImage, RejectedTask, TaskContext, TaskDialect, TaskParams, TaskReport, TaskResponse, TaskStep } from '../../core/task.ts'
import { anyWhole, flag, imageAddress, imagesUpTo, type Parameters, without, wrongIn } from '../../core/task-parameter.ts'
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
import { type ChosenFrame, chosenFrame, frameFields, frameParameters } from '../../protocols/tasks/video-frame.ts'
import { lastFrameIn, referencesIn, refusal } from '../../protocols/tasks/video-request.ts'
import { anyVideoModel, type VideoModel, videoModels } from './video-models.ts'

// OpenRouter, "Video generation" and "Submit a video generation request" (its OpenAPI file), read 2026-11-27.

const path = '/v1/videos'
const referencesMax = 16

/** Names by which an unlisted model is recognized as one that makes videos. */
const namesVideo = /video|veo-|sora-|seedance|kling|hailuo|\/wan-|\/gen-\d/

/** Whether a model makes videos here. */
export function videosAtOpenRouter(model: string): boolean {
  return Object.hasOwn(videoModels, model) || namesVideo.test(model)
}

const modelOf = (model: string): VideoModel => lookUp(videoModels, model) ?? anyVideoModel

const ratioName = 'aspect_ratio'

function parametersOf(model: VideoModel): Parameters {
  const { hasLastFrame, hasAudioChoice, hasReferences } = model
  return {
    ...frameParameters(model, ratioName),
    seed: anyWhole,
    ...(hasAudioChoice ? { generate_audio: flag } : {}),
    ...(hasLastFrame ? { last_frame: imageAddress } : {}),
    ...(hasReferences ? { reference_images: imagesUpTo(referencesMax) } : {}),
  }
}

export const openrouterVideos: TaskDialect = {
  secondsMax: 3 * 60 * 60,
  fields(name) {
    if (!videosAtOpenRouter(name)) return null
    const model = modelOf(name)
    return {
      ...frameFields(model),
      images: { least: 0, most: 1 },
      parameters: without(parametersOf(model), ['duration', 'resolution', ratioName]),
    }
  },
  plan(rawParams) {
    const params = paramsIn(rawParams)
    const frame = frameFor(params)
    if ('refused' in frame) return frame
    const { seconds, size = '', sizeKey } = frame
    const quality = params.extra['generate_audio'] === false ? { quality: 'silent' } : {}
    return { counts: { seconds, size: sizeKey, ...quality }, seconds, size }
  },
  submit(context, rawParams, responses) {
    const params = paramsIn(rawParams)
    const frame = frameFor(params)
    if ('refused' in frame) return { failed: refusal(frame.refused) }
    return firstStep(
      responses,
      () => post(joinUrl(context.baseUrl, path), bodyFor(context, params, frame)),
      (response) => {
        if (!isOk(response)) return { failed: refusedFor(response) }
        const id = isObject(response.json) ? textOr(response.json['id'], '') : ''
        return id === '' ? unreadable(response) : { done: { vendorId: id, memo: {} } }
      },
    )
  },
  poll: (context, { vendorId }, responses) => {
    const address = joinUrl(context.baseUrl, `${path}/${segment(vendorId)}`)
    return firstStep(
      responses,
      () => get(address),
      (response) => reported(response, address),
    )
  },
}

/** The order as it is sent: without members of no value, and without flags in the prompt of a model that reads them. */
function paramsIn(rawParams: TaskParams): TaskParams {
  const params = withoutNull(rawParams)
  return /seedance/.test(params.model) ? withoutFlags(params, { parameters: parametersOf(modelOf(params.model)), ratioName }) : params
}

function frameFor(params: TaskParams): ChosenFrame | RejectedTask {
  const model = modelOf(params.model)
  const wrong = wrongIn(params, parametersOf(model)) ?? refusedImages(params)
  return wrong === null ? chosenFrame(params, model, ratioName) : { refused: wrong }
}

/** Frames and references exclude each other, and a last frame needs a first one. */
function refusedImages({ prompt, images, extra }: TaskParams): string | null {
  if (images.length > 1) return 'input_reference'
  const references = referencesIn(extra)
  if (references.length > 0 && (images.length > 0 || lastFrameIn(extra).length > 0)) return 'reference_images'
  if (lastFrameIn(extra).length > 0 && images.length === 0) return 'last_frame'
  return prompt === '' && images.length === 0 && references.length === 0 ? 'prompt' : null
}

const asPart = (image: InputImage): JsonObject => ({ type: 'image_url', image_url: { url: addressOf(image) } })

function bodyFor(
  { webhook }: TaskContext,
  { model, prompt, images, extra }: TaskParams,
  { seconds, resolution, ratio }: ChosenFrame,
): JsonObject {
  const frames = [
    ...images.map((image) => ({ ...asPart(image), frame_type: 'first_frame' })),
    ...lastFrameIn(extra).map((image) => ({ ...asPart(image), frame_type: 'last_frame' })),
  ]
  const references = referencesIn(extra).map(asPart)
  return omitUndefined({
    model,
    prompt: prompt === '' ? undefined : prompt,
    duration: seconds,
    resolution,
    aspect_ratio: ratio,
    generate_audio: extra['generate_audio'],
    seed: extra['seed'],
    frame_images: frames.length === 0 ? undefined : frames,
    input_references: references.length === 0 ? undefined : references,
    callback_url: webhook?.startsWith('https://') === true ? webhook : undefined,
  })
}

const states: Readonly<Record<string, TaskReport['state']>> = {
  pending: 'queued',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  expired: 'failed',
}

function reported(response: TaskResponse, address: string): TaskStep<TaskReport | null> {
  return reportByStatus(response, { states, refused: failureOf, failed: failureIn, completed: (json) => reportCompleted(json, address) })
}

function reportCompleted({ unsigned_urls: urls, usage }: JsonObject, address: string): { readonly done: TaskReport } {
  const count = Array.isArray(urls) && urls.length > 0 ? urls.length : 1
  // The addresses that it names need its own login, so the content is requested at its own path, with the key.
  const results = Array.from({ length: count }, (_, index) => ({ variant: 'video' as const, url: `${address}/content?index=${index}` }))
  return { done: { state: 'completed', results, data: { status: 'completed', usage: usage ?? null } } }
}

/** A task refused for its content is recognized by the words of the provider. */
function refusedFor(response: TaskResponse): Failure {
  const failure = failureOf(response)
  return isModerated.test(response.text) ? { ...failure, kind: 'bad_request', type: null, code: 'moderation_blocked' } : failure
}

const isModerated = /moderat|safety|content[ _]policy|sensitive/i

function failureIn({ error, status }: JsonObject): { readonly done: TaskReport } {
  const message = messageOf(error)
  if (status === 'expired') return failedWith('expired', message)
  return failedWith(isModerated.test(message) ? 'moderation_blocked' : 'task_failed', message)
}

function messageOf(error: Json | undefined): string {
  return isObject(error) ? textOr(error['message'], '') : textOr(error, '')
}
