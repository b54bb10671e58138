import { lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { RejectedTask, TaskContext, TaskDialect, TaskParams, TaskReport, TaskResponse } from '../../core/task.ts'
import { anyText, flag, imageAddress, type Parameters, usually, wholeBetween, without, wrongIn } from '../../core/task-parameter.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { addressOf, failedWith, withoutNull } from '../../protocols/tasks/step-parts.ts'
import { type ChosenFrame, chosenFrame, type FramedModel, frameFields, frameParameters } from '../../protocols/tasks/video-frame.ts'
import { lastFrameIn, refusal } from '../../protocols/tasks/video-request.ts'
import { cancelJob, expiryOf, pollJob, submitJob } from './jobs.ts'

// Videos of Wan (Alibaba Cloud Model Studio, "Wan - text-to-video API reference" of 2025-11-04; its sizes, and the interface of Wan 2.7 and 3.0 with
// `media`, as mulerouter.ai, docs.apiyi.com and docs.comfy.org quote it, read 2026-11-27). Wan 2.6 ended on 2026-10-14 (docs.laozhang.ai).

/** How a model's output is specified: a size in pixels; a first frame and a resolution; or media, a resolution and a ratio. */
type Form = 'size' | 'first-frame' | 'media'

interface WanModel extends FramedModel {
  readonly form: Form
  readonly images: { readonly least: number; readonly most: number }
}

const five = ['16:9', '9:16', '1:1', '4:3', '3:4']
const none = { least: 0, most: 0 } as const
const one = { least: 1, most: 1 } as const
const upTo15 = { least: 2, most: 15 } as const

const models: Readonly<Record<string, WanModel>> = {
  'wan3.0-video': {
    form: 'media',
    images: { least: 0, most: 1 },
    seconds: { least: 2, most: 30 },
    resolutions: ['720P', '480P', '1080P'],
    ratios: five,
  },
  'wan2.7-t2v': { form: 'media', images: none, seconds: upTo15, resolutions: ['720P', '1080P'], ratios: five },
  'wan2.7-i2v': { form: 'media', images: one, seconds: upTo15, resolutions: ['720P', '1080P'], ratios: [] },
  'wan2.5-t2v-preview': { form: 'size', images: none, seconds: [5, 10], resolutions: ['720P', '480P', '1080P'], ratios: five },
  'wan2.5-i2v-preview': { form: 'first-frame', images: one, seconds: [5, 10], resolutions: ['720P', '480P', '1080P'], ratios: [] },
  'wan2.2-t2v-plus': { form: 'size', images: none, seconds: [5], resolutions: ['1080P', '480P'], ratios: five },
  'wan2.2-i2v-plus': { form: 'first-frame', images: one, seconds: [5], resolutions: ['1080P', '480P'], ratios: [] },
  'wan2.2-i2v-flash': { form: 'first-frame', images: one, seconds: [5], resolutions: ['720P', '480P', '1080P'], ratios: [] },
}

/** The sizes that stand for a ratio, by resolution. Those of 480P have three ratios. */
const pixels: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '480P': { '16:9': '832*480', '9:16': '480*832', '1:1': '624*624' },
  '720P': { '16:9': '1280*720', '9:16': '720*1280', '1:1': '960*960', '4:3': '1088*832', '3:4': '832*1088' },
  '1080P': { '16:9': '1920*1080', '9:16': '1080*1920', '1:1': '1440*1440', '4:3': '1632*1248', '3:4': '1248*1632' },
}

/** Whether a model makes videos here. */
export function videosAtAlibaba(model: string): boolean {
  return Object.hasOwn(models, model)
}

const path = '/api/v1/services/aigc/video-generation/video-synthesis'

/** With the defaults of those pages, which are not sent. */
function parametersOf(model: WanModel): Parameters {
  return {
    ...frameParameters(model, 'ratio'),
    negative_prompt: anyText,
    seed: wholeBetween(0, 2_147_483_647),
    prompt_extend: usually(true, flag),
    watermark: usually(false, flag),
    ...(model.form === 'media' && model.images.most > 0 ? { last_frame: imageAddress } : {}),
  }
}

export const alibabaVideos: TaskDialect = {
  secondsMax: 3 * 60 * 60,
  fields(name) {
    const model = lookUp(models, name)
    if (model === undefined) return null
    const { images } = model
    const parameters = without(parametersOf(model), ['duration', 'resolution', 'ratio'])
    const frame = frameFields(model)
    if (model.form !== 'size') return { ...frame, images, parameters }
    const sizes = model.resolutions.flatMap((resolution) => Object.values(pixels[resolution] ?? {}).map(inTimes))
    return { ...frame, sizes, usualSize: sizes[0] ?? '', images, parameters }
  },
  plan(rawParams) {
    const frame = frameFor(withoutNull(rawParams))
    if ('refused' in frame) return frame
    const { seconds, sizeKey, size } = frame
    return { counts: { seconds, size: sizeKey }, seconds, ...(size === undefined ? {} : { size }) }
  },
  submit(context, rawParams, responses) {
    const params = withoutNull(rawParams)
    const frame = frameFor(params)
    return 'refused' in frame ? { failed: refusal(frame.refused) } : submitJob(context, responses, { path, body: bodyFor(params, frame) })
  },
  poll: (context, task, responses) =>
    pollJob(context, responses, { task, onCompleted: (output, response) => reportCompleted(context, output, response) }),
  cancel: cancelJob,
}

function frameFor(params: TaskParams): ChosenFrame | RejectedTask {
  const { prompt, images, extra } = params
  const model = lookUp(models, params.model)
  if (model === undefined) return { refused: 'model' }
  const wrong = wrongIn(params, parametersOf(model))
  if (wrong !== null) return { refused: wrong }
  const { least, most } = model.images
  if (images.length < least || images.length > most) return { refused: 'input_reference' }
  if (lastFrameIn(extra).length > 0 && images.length === 0) return { refused: 'last_frame' }
  if (prompt === '' && images.length === 0) return { refused: 'prompt' }
  return model.form === 'size' ? sizedFrame(params, model) : chosenFrame(params, model, 'ratio')
}

/** A size is one of those that the vendor lists, and belongs to the resolution under which it is listed there. */
function sizedFrame(params: TaskParams, model: WanModel): ChosenFrame | RejectedTask {
  const { size } = params
  const frame = chosenFrame({ ...params, size: null }, model, 'ratio')
  if ('refused' in frame) return frame
  if (size === null) return withPixels(frame)
  const text = `${size.width}*${size.height}`
  const resolution = model.resolutions.find((name) => Object.values(pixels[name] ?? {}).includes(text))
  if (resolution === undefined) return { refused: 'size' }
  const [ratio] = Object.entries(pixels[resolution] ?? {}).find(([, listed]) => listed === text) ?? []
  if (params.extra['resolution'] !== undefined && params.extra['resolution'] !== resolution) return { refused: 'resolution' }
  if (params.extra['ratio'] !== undefined && params.extra['ratio'] !== ratio) return { refused: 'ratio' }
  return withPixels({ ...frame, resolution, ratio })
}

function withPixels(frame: ChosenFrame): ChosenFrame | RejectedTask {
  const size = pixels[frame.resolution]?.[frame.ratio ?? '']
  return size === undefined ? { refused: 'ratio' } : { ...frame, size: inTimes(size), sizeKey: frame.resolution.toLowerCase() }
}

const inTimes = (size: string): string => size.replace('*', 'x')

function bodyFor({ model, prompt, images, extra }: TaskParams, { seconds, resolution, ratio, size }: ChosenFrame): JsonObject {
  const form = lookUp(models, model)?.form
  const { negative_prompt, seed, prompt_extend, watermark } = extra
  const [first] = images.map(addressOf)
  const promptFields = { prompt: prompt === '' ? undefined : prompt, negative_prompt }
  const media = [
    ...(first === undefined ? [] : [{ type: 'first_frame', url: first }]),
    ...lastFrameIn(extra).map((image) => ({ type: 'last_frame', url: addressOf(image) })),
  ]
  const input: Readonly<Record<Form, Readonly<Record<string, Json | undefined>>>> = {
    size: promptFields,
    'first-frame': { ...promptFields, img_url: first },
    media: { ...promptFields, media: media.length === 0 ? undefined : media },
  }
  const frame: Readonly<Record<Form, Readonly<Record<string, Json | undefined>>>> = {
    size: { size: size?.replace('x', '*') },
    'first-frame': { resolution },
    media: { resolution, ratio },
  }
  return {
    model,
    input: omitUndefined(input[form ?? 'media']),
    parameters: omitUndefined({ ...frame[form ?? 'media'], duration: seconds, seed, prompt_extend, watermark }),
  }
}

function reportCompleted(context: TaskContext, output: JsonObject, { json }: TaskResponse): TaskReport {
  const url = textOr(output['video_url'], '')
  if (!/^https?:\/\//.test(url)) return failedWith('no_result', 'the upstream service made no video').done
  return { state: 'completed', results: [{ variant: 'video', url }], expiresAt: expiryOf(context), data: json ?? null }
}
