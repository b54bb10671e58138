import { base64 } from '../../../core/crypto-functions.ts'
import type { JsonObject } from '../../../core/json.ts'
import {
  type InputImage,
  type InputVideo,
  type Lengths,
  type RejectedTask,
  type TaskAction,
  type TaskFields,
  type TaskParams,
  wordsOnly,
} from '../../../core/task.ts'
import { imageAddress, imagesUpTo, lengthInPlace, oneOf, type Parameters, without, wrongIn } from '../../../core/task-parameter.ts'
import { omitUndefined } from '../../../protocols/shared/chat-parts.ts'
import { isLength } from '../../../protocols/tasks/lengths.ts'
import { contentOf, withoutNull } from '../../../protocols/tasks/step-parts.ts'
import { durationOf, type Frame, frameOf, lastFrameIn, referencesIn, usualFrameSize } from '../../../protocols/tasks/video-request.ts'
import { linesOf, sizesOf } from '../../../protocols/tasks/video-size.ts'

// Orders of videos: Gemini API, "Gemini Omni Flash", a stored copy of October 2026 read 2026-11-25, and the types of @google/genai 3.1.0.

/** What is requested from the service: everything that the price depends on is sent. */
export interface VideoParams extends Frame {
  readonly seconds: number
}

const resolutions = ['360p', '720p', '1080p', '4k']
const ratios = ['16:9', '9:16']
const shortest = 3
/** Sent with every order that names none. */
const usualSeconds = 8
const referencesMax = 6

/** Version 1.2 makes longer videos (developer.civitai.com, "Gemini Omni", read 2026-11-25). */
function lengthsOf({ model, action, extra }: Pick<TaskParams, 'model' | 'action' | 'extra'>): Lengths & { readonly most: number } {
  const isLong = /gemini-omni-1\.2-/.test(model) && action === 'create' && extra['last_frame'] === undefined
  return { least: shortest, most: isLong ? 15 : 10 }
}

/** What a size says is not requested twice. */
export function fieldsOf(model: string): TaskFields {
  return {
    seconds: lengthsOf({ model, action: 'create', extra: {} }),
    sizes: sizesOf(ratios, resolutions.map(linesOf)),
    images: { least: 0, most: 1 },
    usualSeconds,
    usualSize: usualFrameSize,
    parameters: without(ofNew, ['aspect_ratio', 'resolution', 'duration']),
  }
}

export function changeFields(model: string, action: TaskAction): TaskFields | null {
  if (action === 'extend') return { ...wordsOnly, seconds: lengthsOf({ model, action, extra: {} }), usualSeconds }
  return action === 'edit' || action === 'remix' ? wordsOnly : null
}

const ofNew: Parameters = {
  aspect_ratio: oneOf(ratios),
  resolution: oneOf(resolutions),
  duration: lengthInPlace,
  last_frame: imageAddress,
  reference_images: imagesUpTo(referencesMax),
}

/** A video that is changed keeps its length and its frame; one that is continued keeps its frame. */
const parameters: { readonly [A in TaskAction]?: Parameters } = {
  create: ofNew,
  remix: {},
  edit: {},
  extend: { duration: lengthInPlace },
}

export function paramsOf(rawParams: TaskParams): VideoParams | RejectedTask {
  const params = withoutNull(rawParams)
  if (params.prompt === '') return { refused: 'prompt' }
  const known = parameters[params.action]
  if (known === undefined) return { refused: 'model' }
  const wrong = wrongIn(params, known) ?? refusedImage(params)
  if (wrong !== null) return { refused: wrong }
  const seconds = lengthOf(params)
  if (typeof seconds !== 'number') return seconds
  if (params.video !== null) return { ...frameOfVideo(params.video), seconds }
  const frame = frameOf(inLines(params), { resolutions: resolutions.map(linesOf), ratios, name: 'resolution' })
  return 'refused' in frame ? frame : { ...frame, resolution: frame.resolution === linesOf('4k') ? '4k' : frame.resolution, seconds }
}

/** The smallest resolution that holds a video: a change of it has its size. */
function frameOfVideo({ width, height }: InputVideo): Frame {
  const short = Math.min(width, height)
  const resolution = resolutions.find((name) => Number.parseInt(linesOf(name), 10) >= short) ?? '4k'
  return { resolution, ratio: undefined, size: `${width}x${height}` }
}

/** Of a video that is changed it is that of the video. */
function lengthOf(params: TaskParams): number | RejectedTask {
  const { video: inputVideo, action, seconds, source } = params
  const lengths = lengthsOf(params)
  if (inputVideo !== null && source === null && inputVideo.seconds > lengths.most) return { refused: 'video' }
  if (inputVideo !== null && action === 'edit') return seconds === null ? Math.ceil(inputVideo.seconds) : { refused: 'seconds' }
  return durationOf(params, { otherwise: usualSeconds, isPossible: (length) => isLength(lengths, length) })
}

function inLines(params: TaskParams): TaskParams {
  const { resolution } = params.extra
  return typeof resolution === 'string' ? { ...params, extra: { ...params.extra, resolution: linesOf(resolution) } } : params
}

function refusedImage({ action, images: inputImages, extra }: TaskParams): string | null {
  const isWrong = (image: InputImage): boolean => contentOf(image) === null
  if (inputImages.length > (action === 'create' ? 1 : 0) || inputImages.some(isWrong)) return 'input_reference'
  const last = lastFrameIn(extra)
  if (last.length > 0 && (inputImages.length === 0 || last.some(isWrong))) return 'last_frame'
  const references = referencesIn(extra)
  return references.some(isWrong) || (references.length > 0 && inputImages.length > 0) ? 'reference_images' : null
}

/** The instructed action, set so that it does not guess it from the words. */
function taskOf({ action, images: inputImages, extra }: TaskParams): string {
  if (action === 'extend') return 'extend'
  if (action !== 'create') return 'edit'
  return inputImages.length > 0 ? 'image_to_video' : referencesIn(extra).length > 0 ? 'reference_to_video' : 'text_to_video'
}

export function bodyFor(rawParams: TaskParams, { seconds, ratio, resolution }: VideoParams): JsonObject {
  const params = withoutNull(rawParams)
  const { model, prompt, images: inputImages, video: inputVideo, extra, source, action } = params
  const images = [
    ...(inputVideo === null || source !== null ? [] : [videoOf(inputVideo)]),
    ...[...inputImages, ...lastFrameIn(extra), ...referencesIn(extra)].flatMap(imagesOf),
  ]
  const isNew = action === 'create'
  return omitUndefined({
    model: model.slice(model.lastIndexOf('/') + 1),
    input: images.length === 0 ? prompt : [...images, { type: 'text', text: prompt }],
    previous_interaction_id: source?.vendorId,
    // The response has the video only once it is made, unless it is made in the background. What is not stored cannot be polled or changed.
    background: true,
    store: true,
    response_format: omitUndefined({
      type: 'video',
      delivery: 'uri',
      aspect_ratio: isNew ? ratio : undefined,
      resolution,
      duration: isNew || action === 'extend' ? `${seconds}s` : undefined,
    }),
    generation_config: { video_config: { task: taskOf(params) } },
  })
}

function videoOf({ file }: InputVideo): JsonObject {
  return { type: 'video', data: base64(file.bytes), mime_type: file.contentType }
}

function imagesOf(image: InputImage): readonly JsonObject[] {
  const content = contentOf(image)
  return content === null ? [] : [{ type: 'image', data: content.data, mime_type: content.contentType }]
}
