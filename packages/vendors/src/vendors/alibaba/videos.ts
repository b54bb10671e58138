import { lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { RefusedOrder, TaskAnswer, TaskContext, TaskDialect, TaskOrder, TaskReport } from '../../core/task.ts'
import { anyText, flag, type Parameters, pictureAddress, usually, wholeBetween, without, wrongIn } from '../../core/task-parameter.ts'
import { given } from '../../protocols/shared/chat-parts.ts'
import { type ChosenFrame, chosenFrame, type FramedModel, frameFields, frameParameters } from '../../protocols/tasks/chosen-frame.ts'
import { addressOf, failedWith, withoutNull } from '../../protocols/tasks/step-parts.ts'
import { lastFrameIn, refusal } from '../../protocols/tasks/video-order.ts'
import { cancelJob, expiryOf, pollJob, submitJob } from './jobs.ts'

// Videos of Wan (Alibaba Cloud Model Studio, "Wan - text-to-video API reference" of 2025-11-04; its sizes, and the interface of Wan 2.7 and 3.0 with
// `media`, as mulerouter.ai, docs.apiyi.com and docs.comfy.org quote it, read 2026-11-27). Wan 2.6 ended on 2026-10-14 (docs.laozhang.ai).

/** How a model is told what to make: a size in pixels; a first frame and a resolution; or media, a resolution and a ratio. */
type Form = 'size' | 'first-frame' | 'media'

interface WanModel extends FramedModel {
  readonly form: Form
  readonly pictures: { readonly least: number; readonly most: number }
}

const five = ['16:9', '9:16', '1:1', '4:3', '3:4']
const none = { least: 0, most: 0 } as const
const one = { least: 1, most: 1 } as const
const upTo15 = { least: 2, most: 15 } as const

const models: Readonly<Record<string, WanModel>> = {
  'wan3.0-video': {
    form: 'media',
    pictures: { least: 0, most: 1 },
    seconds: { least: 2, most: 30 },
    resolutions: ['720P', '480P', '1080P'],
    ratios: five,
  },
  'wan2.7-t2v': { form: 'media', pictures: none, seconds: upTo15, resolutions: ['720P', '1080P'], ratios: five },
  'wan2.7-i2v': { form: 'media', pictures: one, seconds: upTo15, resolutions: ['720P', '1080P'], ratios: [] },
  'wan2.5-t2v-preview': { form: 'size', pictures: none, seconds: [5, 10], resolutions: ['720P', '480P', '1080P'], ratios: five },
  'wan2.5-i2v-preview': { form: 'first-frame', pictures: one, seconds: [5, 10], resolutions: ['720P', '480P', '1080P'], ratios: [] },
  'wan2.2-t2v-plus': { form: 'size', pictures: none, seconds: [5], resolutions: ['1080P', '480P'], ratios: five },
  'wan2.2-i2v-plus': { form: 'first-frame', pictures: one, seconds: [5], resolutions: ['1080P', '480P'], ratios: [] },
  'wan2.2-i2v-flash': { form: 'first-frame', pictures: one, seconds: [5], resolutions: ['720P', '480P', '1080P'], ratios: [] },
}

/** The sizes that stand for a ratio, by resolution. Those of 480P have three ratios. */
const pixels: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '480P': { '16:9': '832*480', '9:16': '480*832', '1:1': '624*624' },
  '720P': { '16:9': '1280*720', '9:16': '720*1280', '1:1': '960*960', '4:3': '1088*832', '3:4': '832*1088' },
  '1080P': { '16:9': '1920*1080', '9:16': '1080*1920', '1:1': '1440*1440', '4:3': '1632*1248', '3:4': '1248*1632' },
}

/** Whether a model makes videos here. */
export function filmsAtAlibaba(model: string): boolean {
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
    ...(model.form === 'media' && model.pictures.most > 0 ? { last_frame: pictureAddress } : {}),
  }
}

export const alibabaVideos: TaskDialect = {
  secondsMax: 3 * 60 * 60,
  fields(name) {
    const model = lookUp(models, name)
    if (model === undefined) return null
    const { pictures } = model
    const parameters = without(parametersOf(model), ['duration', 'resolution', 'ratio'])
    const frame = frameFields(model)
    if (model.form !== 'size') return { ...frame, pictures, parameters }
    const sizes = model.resolutions.flatMap((resolution) => Object.values(pixels[resolution] ?? {}).map(inTimes))
    return { ...frame, sizes, usualSize: sizes[0] ?? '', pictures, parameters }
  },
  plan(told) {
    const wish = wishOf(withoutNull(told))
    if ('refused' in wish) return wish
    const { seconds, sizeKey, size } = wish
    return { counts: { seconds, size: sizeKey }, seconds, ...(size === undefined ? {} : { size }) }
  },
  submit(context, told, answers) {
    const order = withoutNull(told)
    const wish = wishOf(order)
    return 'refused' in wish ? { failed: refusal(wish.refused) } : submitJob(context, answers, { path, body: bodyFor(order, wish) })
  },
  poll: (context, task, answers) => pollJob(context, answers, { task, made: (output, answer) => madeIn(context, output, answer) }),
  cancel: cancelJob,
}

function wishOf(order: TaskOrder): ChosenFrame | RefusedOrder {
  const { prompt, pictures, extra } = order
  const model = lookUp(models, order.model)
  if (model === undefined) return { refused: 'model' }
  const wrong = wrongIn(order, parametersOf(model))
  if (wrong !== null) return { refused: wrong }
  const { least, most } = model.pictures
  if (pictures.length < least || pictures.length > most) return { refused: 'input_reference' }
  if (lastFrameIn(extra).length > 0 && pictures.length === 0) return { refused: 'last_frame' }
  if (prompt === '' && pictures.length === 0) return { refused: 'prompt' }
  return model.form === 'size' ? sizedWish(order, model) : chosenFrame(order, model, 'ratio')
}

/** A size is one of those that the vendor lists, and belongs to the resolution under which it is listed there. */
function sizedWish(order: TaskOrder, model: WanModel): ChosenFrame | RefusedOrder {
  const { size } = order
  const wish = chosenFrame({ ...order, size: null }, model, 'ratio')
  if ('refused' in wish) return wish
  if (size === null) return withPixels(wish)
  const text = `${size.width}*${size.height}`
  const resolution = model.resolutions.find((name) => Object.values(pixels[name] ?? {}).includes(text))
  if (resolution === undefined) return { refused: 'size' }
  const [ratio] = Object.entries(pixels[resolution] ?? {}).find(([, listed]) => listed === text) ?? []
  if (order.extra['resolution'] !== undefined && order.extra['resolution'] !== resolution) return { refused: 'resolution' }
  if (order.extra['ratio'] !== undefined && order.extra['ratio'] !== ratio) return { refused: 'ratio' }
  return withPixels({ ...wish, resolution, ratio })
}

function withPixels(wish: ChosenFrame): ChosenFrame | RefusedOrder {
  const size = pixels[wish.resolution]?.[wish.ratio ?? '']
  return size === undefined ? { refused: 'ratio' } : { ...wish, size: inTimes(size), sizeKey: wish.resolution.toLowerCase() }
}

const inTimes = (size: string): string => size.replace('*', 'x')

function bodyFor({ model, prompt, pictures, extra }: TaskOrder, { seconds, resolution, ratio, size }: ChosenFrame): JsonObject {
  const form = lookUp(models, model)?.form
  const { negative_prompt, seed, prompt_extend, watermark } = extra
  const [first] = pictures.map(addressOf)
  const told = { prompt: prompt === '' ? undefined : prompt, negative_prompt }
  const media = [
    ...(first === undefined ? [] : [{ type: 'first_frame', url: first }]),
    ...lastFrameIn(extra).map((picture) => ({ type: 'last_frame', url: addressOf(picture) })),
  ]
  const input: Readonly<Record<Form, Readonly<Record<string, Json | undefined>>>> = {
    size: told,
    'first-frame': { ...told, img_url: first },
    media: { ...told, media: media.length === 0 ? undefined : media },
  }
  const frame: Readonly<Record<Form, Readonly<Record<string, Json | undefined>>>> = {
    size: { size: size?.replace('x', '*') },
    'first-frame': { resolution },
    media: { resolution, ratio },
  }
  return {
    model,
    input: given(input[form ?? 'media']),
    parameters: given({ ...frame[form ?? 'media'], duration: seconds, seed, prompt_extend, watermark }),
  }
}

function madeIn(context: TaskContext, output: JsonObject, { json }: TaskAnswer): TaskReport {
  const url = textOr(output['video_url'], '')
  if (!/^https?:\/\//.test(url)) return failedWith('no_result', 'the upstream service made no video').done
  return { state: 'completed', results: [{ variant: 'video', url }], expiresAt: expiryOf(context), data: json ?? null }
}
