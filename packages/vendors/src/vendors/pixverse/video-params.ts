import { bytesOf } from '../../core/base64-bytes.ts'
import { isGiven, isObject, lookUp } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { type InputImage, type RejectedTask, type TaskAction, type TaskFields, type TaskParams, wordsOnly } from '../../core/task.ts'
import {
  anyText,
  anyWhole,
  flag,
  imageAddress,
  lengthInPlace,
  oneOf,
  type Parameter,
  type Parameters,
  without,
  wrongIn,
} from '../../core/task-parameter.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { contentOf } from '../../protocols/tasks/step-parts.ts'
import { addressesIn, durationOf, type Frame, frameOf, usualFrameSize } from '../../protocols/tasks/video-request.ts'
import { sizesOf } from '../../protocols/tasks/video-size.ts'
import { creditsOf, lengthsOf, type VideoSpec } from './credits.ts'

/** What is requested from the vendor. */
export interface VideoParams extends Pick<Frame, 'ratio' | 'size'> {
  readonly spec: VideoSpec
  readonly credits: number
  /** Which of the vendor's calls makes it. */
  readonly path: 'text' | 'img' | 'transition' | 'fusion' | 'extend'
  /** What is sent before the order: the first frame and the last one, or what the video shows. */
  readonly images: readonly Image[]
  /** What each of the images of `fusion` is. */
  readonly references: readonly JsonObject[]
  /** The id of the video that is continued; `null`: none. */
  readonly continued: string | null
}

/** An image as a form can hold it. */
export type Image = { readonly url: string } | { readonly fileName: string; readonly contentType: string; readonly bytes: Uint8Array }

const qualities = ['360p', '540p', '720p', '1080p']
/** The vendor wants one in every order, so it is sent. */
const usualSeconds = 5
const usualRatios = ['16:9', '4:3', '1:1', '3:4', '9:16']
const allRatios = [...usualRatios, '2:3', '3:2', '21:9']

const always: Parameters = {
  quality: oneOf(qualities),
  duration: lengthInPlace,
  negative_prompt: anyText,
  seed: anyWhole,
  style: anyText,
  water_mark: flag,
}

const effects = { sound_effect_switch: flag, sound_effect_content: anyText }
const thinking = oneOf(['enabled', 'disabled', 'auto'])
const oldest = { ...effects, motion_mode: oneOf(['normal', 'fast']), camera_movement: anyText }

/**
 * Version -> its parameters beside those of every version (docs.platform.pixverse.ai, "Text-to-Video generation", "Image-to-Video generation" and
 * "Capability matrix", as clients of 2026 quote them, read 2026-11-23). Templates are left out, because each has a price of its own.
 */
const versions: Readonly<Record<string, Parameters>> = {
  'v3.5': oldest,
  v4: oldest,
  'v4.5': oldest,
  v5: effects,
  'v5.5': { generate_audio_switch: flag, generate_multi_clip_switch: flag, thinking_type: thinking },
  'v5.6': { generate_audio_switch: flag, thinking_type: thinking },
  v6: { generate_audio_switch: flag, generate_multi_clip_switch: flag, thinking_type: thinking },
  c1: { generate_audio_switch: flag },
}

/** Names that are part of the price or of the frame, so they are not sent as they came. */
const own = ['quality', 'duration', 'aspect_ratio', 'last_frame', 'image_references']

/** `null`: there is no such version. A size says the quality and the ratio. */
export function fieldsOf(model: string): TaskFields | null {
  const version = versionOf({ model })
  const parameters = lookUp(versions, version)
  if (parameters === undefined) return null
  const ratios = ratiosOf(version)
  return {
    seconds: lengthsOf(version),
    sizes: sizesOf(ratios, qualities),
    images: { least: 0, most: 1 },
    usualSeconds,
    usualSize: usualFrameSize,
    parameters: without(
      {
        ...parametersOf('transition', parameters, ratios),
        ...(version === fusing && { image_references: namedImages }),
      },
      ['quality', 'duration', 'aspect_ratio'],
    ),
  }
}

export function changeFields(model: string, action: TaskAction): TaskFields | null {
  const version = versionOf({ model })
  const parameters = lookUp(versions, version)
  if (action !== 'extend' || parameters === undefined || !extending.includes(version)) return null
  const ofExtension = without(parametersOf('extend', parameters, []), ['quality', 'duration'])
  return { ...wordsOnly, seconds: lengthsOf(version), usualSeconds, parameters: ofExtension }
}

export function paramsOf(params: TaskParams): VideoParams | RejectedTask {
  if (params.prompt === '') return { refused: 'prompt' }
  const version = versionOf(params)
  const parameters = lookUp(versions, version)
  if (parameters === undefined) return { refused: 'model' }
  const begun = beginningOf(params, version)
  if ('refused' in begun) return begun
  const ratios = begun.path === 'text' || begun.path === 'fusion' ? ratiosOf(version) : []
  const wrong = wrongIn(params, parametersOf(begun.path, parameters, ratios))
  if (wrong !== null) return { refused: wrong }
  const frame = frameOf(params, { resolutions: qualities, ratios, name: 'quality' })
  if ('refused' in frame) return frame
  const spec = specOf(params, version, frame.resolution)
  if ('refused' in spec) return spec
  const { ratio, size } = frame
  return { spec, credits: creditsOf(spec) ?? 0, ...begun, ratio, size }
}

/** Versions that can continue a video ("Extend generation", a copy of 2026 read 2026-11-23). */
const extending: readonly string[] = ['v3.5', 'v4', 'v4.5', 'v5', 'v5.5', 'v6']

type Beginning = Pick<VideoParams, 'path' | 'images' | 'references' | 'continued'>

const nothing = { images: [], references: [], continued: null } as const

/** What a video begins with. */
function beginningOf(params: TaskParams, version: string): Beginning | RejectedTask {
  const first = heldIn(params.images)
  if (first === null || first.length > 1) return { refused: 'input_reference' }
  if (params.action === 'extend') return first.length > 0 ? { refused: 'input_reference' } : continuedOf(params, version)
  const { last_frame: last, image_references: references } = params.extra
  if (isGiven(references)) return first.length > 0 ? { refused: 'input_reference' } : fusionOf(params, version)
  if (isGiven(last)) return transitionOf(first, heldIn(addressesIn([last])))
  return { ...nothing, path: first.length > 0 ? 'img' : 'text', images: first }
}

function continuedOf({ source }: TaskParams, version: string): Beginning | RejectedTask {
  if (source === null) return { refused: 'video' }
  return extending.includes(version) ? { ...nothing, path: 'extend', continued: source.vendorId } : { refused: 'model' }
}

function transitionOf(first: readonly Image[], last: readonly Image[] | null): Beginning | RejectedTask {
  if (first.length === 0 || last === null || last.length === 0) return { refused: 'last_frame' }
  return { ...nothing, path: 'transition', images: [...first, ...last] }
}

/**
 * Images of subjects and of a background, which the prompt names as `@name` ("Fusion" and "Model & Pricing", copies read 2026-11-25). Only this
 * version has a price on that page.
 */
const fusing = 'v4.5'
const fusedMax = 3
const namedImages: Parameter = { type: 'named_pictures', most: fusedMax }

function fusionOf({ extra }: TaskParams, version: string): Beginning | RejectedTask {
  const { image_references: list } = extra
  const named = Array.isArray(list) ? list.filter(isObject) : []
  const references = named.map(({ type, ref_name }) => omitUndefined({ type, ref_name }))
  const isWhole = references.every(({ type, ref_name }) => (type === 'subject' || type === 'background') && typeof ref_name === 'string')
  const images = heldIn(addressesIn(named.map(({ image_url }) => image_url)))
  const isPossible = version === fusing && isWhole && images !== null && images.length > 0 && images.length <= fusedMax
  if (!isPossible || !Array.isArray(list) || images.length !== list.length) return { refused: 'image_references' }
  return { ...nothing, path: 'fusion', images, references }
}

function parametersWith(parameters: Parameters, ratios: readonly string[]): Parameters {
  return { ...always, ...parameters, ...(ratios.length > 0 && { aspect_ratio: oneOf(ratios) }) }
}

const ofExtensions = ['quality', 'duration', 'seed', 'style', 'motion_mode']
const ofFusions = ['quality', 'duration', 'seed', 'aspect_ratio']

function parametersOf(path: VideoParams['path'], parameters: Parameters, ratios: readonly string[]): Parameters {
  const all = parametersWith(parameters, ratios)
  const only = (names: readonly string[]): Parameters => Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)))
  if (path === 'extend') return only(ofExtensions)
  if (path === 'fusion') return { ...only(ofFusions), image_references: namedImages }
  return path === 'transition' ? { ...all, last_frame: imageAddress } : all
}

function versionOf({ model }: Pick<TaskParams, 'model'>): string {
  return model.replace(/^pixverse-/, '')
}

function ratiosOf(version: string): readonly string[] {
  return version === 'v6' || version === 'c1' ? allRatios : usualRatios
}

/** `null`: one is neither a file nor an address. */
function heldIn(images: readonly InputImage[]): readonly Image[] | null {
  const held = images.map(imageOf)
  return held.includes(null) ? null : held.filter((image) => image !== null)
}

function imageOf(image: InputImage): Image | null {
  if ('file' in image) return image.file
  if (/^https?:\/\//.test(image.url)) return image
  const content = contentOf(image)
  const bytes = content === null ? null : bytesOf(content.data)
  return content === null || bytes === null ? null : { fileName: 'image', contentType: content.contentType, bytes }
}

function specOf(params: TaskParams, version: string, quality: string): VideoSpec | RejectedTask {
  const { extra } = params
  const rest = {
    version,
    quality,
    hasAudio: extra['generate_audio_switch'] === true,
    hasClips: extra['generate_multi_clip_switch'] === true,
    isFast: extra['motion_mode'] === 'fast',
    hasEffects: extra['sound_effect_switch'] === true,
  }
  const duration = durationOf(params, {
    otherwise: usualSeconds,
    isPossible: (seconds) => creditsOf({ ...rest, duration: seconds }) !== null,
  })
  if (typeof duration === 'number') return { ...rest, duration }
  // Five seconds are possible in every quality, unless something else is not.
  return creditsOf({ ...rest, duration: 5 }) === null ? { refused: 'motion_mode' } : duration
}

/** The body of a submission. @param beginning the images that were sent before, or the video that is continued */
export function bodyFor({ prompt, extra }: TaskParams, { spec, ratio }: VideoParams, beginning: JsonObject): JsonObject {
  const rest = Object.entries(extra).filter(([name, value]) => !own.includes(name) && value !== null)
  return {
    ...beginning,
    prompt,
    model: spec.version,
    duration: spec.duration,
    quality: spec.quality,
    ...(ratio === undefined ? {} : { aspect_ratio: ratio }),
    ...Object.fromEntries(rest),
  }
}
