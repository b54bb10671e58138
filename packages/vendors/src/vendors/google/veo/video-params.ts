import { base64 } from '../../../core/crypto-functions.ts'
import type { JsonObject } from '../../../core/json.ts'
import { type InputImage, type TaskAction, type TaskFields, type TaskParams, type TaskPlan, wordsOnly } from '../../../core/task.ts'
import {
  anyText,
  flag,
  imageAddress,
  imagesUpTo,
  oneOf,
  type Parameters,
  usually,
  wholeBetween,
  without,
  wrongIn,
} from '../../../core/task-parameter.ts'
import { omitUndefined } from '../../../protocols/shared/chat-parts.ts'
import { isLength } from '../../../protocols/tasks/lengths.ts'
import { contentOf } from '../../../protocols/tasks/step-parts.ts'
import { lastFrameIn, referencesIn } from '../../../protocols/tasks/video-request.ts'
import { linesOf, pixelsOf, ratioOf, sizesOf } from '../../../protocols/tasks/video-size.ts'
import type { VeoHost } from './hosts.ts'

// Orders of videos: Gemini API, "Generate videos with Veo", and Google Cloud, "Veo on Vertex AI API", stored copies read 2026-11-23.

const lengths: readonly number[] = [4, 6, 8]
/** Sent with every order that names none, as all that the price depends on; it is the vendor's own default, too. */
const usualLength = 8
const referencesMax = 3
const seedMax = 4_294_967_295

const ratios = ['16:9', '9:16'] as const
const resolutions = ['720p', '1080p', '4k'] as const
type Resolution = (typeof resolutions)[number]

const seed = wholeBetween(0, seedMax)

const shared: Parameters = {
  negative_prompt: anyText,
  seed,
  last_frame: imageAddress,
  reference_images: imagesUpTo(referencesMax),
  person_generation: oneOf(['allow_all', 'allow_adult', 'dont_allow']),
  aspect_ratio: oneOf(ratios),
  resolution: oneOf(resolutions),
}

// At the Gemini API there is always audio.
const parametersOf = ({ isCloud }: VeoHost): Parameters => ({ ...shared, generate_audio: isCloud ? usually(true, flag) : oneOf([true]) })

const resolutionsOf = (model: string): readonly Resolution[] => (model.includes('-lite') ? ['720p', '1080p'] : resolutions)

/** What a size says is not requested twice. */
export function fieldsOf(host: VeoHost, model: string): TaskFields {
  return {
    seconds: lengths,
    sizes: sizesOf(ratios, resolutionsOf(model).map(linesOf)),
    images: { least: 0, most: 1 },
    usualSeconds: usualLength,
    usualSize: pixelsOf('16:9', '720p'),
    parameters: without(parametersOf(host), ['aspect_ratio', 'resolution', ...(host.isCloud ? [] : ['generate_audio'])]),
  }
}

/** An order as it is sent. */
interface Video {
  readonly seconds: number
  readonly ratio: string
  readonly resolution: Resolution
  readonly isSilent: boolean
}

export function refusedIn(host: VeoHost, params: TaskParams): string | null {
  if (params.action === 'extend') return refusedExtension(params)
  return wrongIn(params, parametersOf(host)) ?? refusedSize(params) ?? refusedImage(host, params) ?? refusedLength(params)
}

/** A continuation has a length of its own, and the size of what it continues (Google Cloud, "Extend Veo videos", a copy read 2026-11-25). */
const extensionSeconds = 7
const videoLengths = { least: 1, most: 30 }
const ofExtensions: Parameters = { negative_prompt: anyText, seed, generate_audio: flag }

export function changeFields(_: string, action: TaskAction): TaskFields | null {
  return action === 'extend' ? { ...wordsOnly, parameters: ofExtensions, usualSeconds: extensionSeconds, needsVideo: true } : null
}

function refusedExtension(params: TaskParams): string | null {
  const { video, images, size, seconds } = params
  const wrong = wrongIn(params, ofExtensions)
  if (wrong !== null) return wrong
  if (video === null || video.seconds < videoLengths.least || video.seconds > videoLengths.most) return 'video'
  const short = Math.min(video.width, video.height)
  if (ratioOf(video, ratios) === null || (short !== 720 && short !== 1080)) return 'video'
  if (images.length > 0) return 'input_reference'
  if (size !== null) return 'size'
  return seconds === null || seconds === extensionSeconds ? null : 'seconds'
}

function refusedSize({ model, size, extra }: TaskParams): string | null {
  if (size !== null) {
    if (ratioOf(size, ratios) === null) return 'size'
    // A size says both.
    const twice = ['aspect_ratio', 'resolution'].find((name) => extra[name] !== undefined)
    if (twice !== undefined) return twice
  }
  return !resolutionsOf(model).includes(resolutionOf({ size, extra })) ? (size === null ? 'resolution' : 'size') : null
}

function refusedImage(host: VeoHost, { images, extra }: TaskParams): string | null {
  const isWrong = (image: InputImage): boolean => imageOf(host, image) === null
  if (images.length > 1 || images.some(isWrong)) return 'input_reference'
  if (lastFrameIn(extra).some(isWrong)) return 'last_frame'
  const references = referencesIn(extra)
  const isBesideFrames = references.length > 0 && (images.length > 0 || extra['last_frame'] !== undefined)
  return isBesideFrames || references.some(isWrong) ? 'reference_images' : null
}

/** Larger videos and those with references have one length. */
function refusedLength(params: TaskParams): string | null {
  const { seconds, extra } = params
  if (seconds === null) return null
  const hasOne = resolutionOf(params) !== '720p' || extra['reference_images'] !== undefined
  return (hasOne ? seconds === usualLength : isLength(lengths, seconds)) ? null : 'seconds'
}

export function planFor(params: TaskParams): TaskPlan {
  const { seconds, ratio, resolution, isSilent } = videoOf(params)
  const counts = { seconds, size: resolution, ...(isSilent ? { quality: 'silent' } : {}) }
  return { counts, seconds, size: pixelsOf(ratio, linesOf(resolution)) }
}

function videoOf(params: TaskParams): Video {
  const { seconds, size, extra, video } = params
  if (video !== null) {
    const resolution = Math.min(video.width, video.height) === 1080 ? '1080p' : '720p'
    return { seconds: extensionSeconds, ratio: ratioOf(video, ratios) ?? '16:9', resolution, isSilent: extra['generate_audio'] === false }
  }
  const ratio = size === null ? extra['aspect_ratio'] : ratioOf(size, ratios)
  return {
    seconds: seconds ?? usualLength,
    ratio: typeof ratio === 'string' ? ratio : '16:9',
    resolution: resolutionOf(params),
    isSilent: extra['generate_audio'] === false,
  }
}

function resolutionOf({ size, extra }: Pick<TaskParams, 'size' | 'extra'>): Resolution {
  if (size === null) return resolutions.find((name) => name === extra['resolution']) ?? '720p'
  const side = Math.max(size.width, size.height)
  return side >= 3840 ? '4k' : side >= 1920 ? '1080p' : '720p'
}

/** Every value that the price depends on is sent. */
export function bodyFor(host: VeoHost, params: TaskParams): JsonObject {
  const { prompt, images, video, extra } = params
  const { seconds, ratio, resolution, isSilent } = videoOf(params)
  const imagesOf = (inputImages: readonly InputImage[]): readonly JsonObject[] =>
    inputImages.map((inputImage) => imageOf(host, inputImage)).filter((image) => image !== null)
  const references = imagesOf(referencesIn(extra)).map((image) => ({ image, referenceType: 'asset' }))
  const instance = omitUndefined({
    prompt,
    image: imagesOf(images)[0],
    video: video === null ? undefined : { bytesBase64Encoded: base64(video.file.bytes), mimeType: video.file.contentType },
    lastFrame: imagesOf(lastFrameIn(extra))[0],
    referenceImages: references.length === 0 ? undefined : references,
  })
  const parameters = omitUndefined({
    aspectRatio: ratio,
    resolution,
    durationSeconds: seconds,
    sampleCount: 1,
    negativePrompt: extra['negative_prompt'],
    personGeneration: extra['person_generation'],
    seed: extra['seed'],
    generateAudio: host.isCloud ? !isSilent : undefined,
  })
  return { instances: [instance], parameters }
}

/** `null`: an address that the service does not read. */
function imageOf({ isCloud }: VeoHost, inputImage: InputImage): JsonObject | null {
  const content = contentOf(inputImage)
  if (content !== null) return { bytesBase64Encoded: content.data, mimeType: content.contentType }
  if (!isCloud || !('url' in inputImage) || !inputImage.url.startsWith('gs://')) return null
  return { gcsUri: inputImage.url, mimeType: /\.png$/i.test(inputImage.url) ? 'image/png' : 'image/jpeg' }
}
