import { bytesOf } from '../../core/base64-bytes.ts'
import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import { joinUrl } from '../../core/join-url.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { type FormFile, type FormPart, multipart } from '../../core/multipart.ts'
import {
  type InputImage,
  type InputVideo,
  type Lengths,
  type RejectedTask,
  type RunningTask,
  type TaskAction,
  type TaskContext,
  type TaskDialect,
  type TaskParams,
  type TaskPlan,
  type TaskReport,
  type TaskRequest,
  type TaskResult,
  wordsOnly,
} from '../../core/task.ts'
import { type Parameters, wrongIn } from '../../core/task-parameter.ts'
import { numberOf } from '../../core/vendor-query.ts'
import { omitUndefined } from '../shared/chat-parts.ts'
import { isLength } from '../tasks/lengths.ts'
import { addressOf, contentOf, failedWith, failureOf, firstStep, get, isOk, post, segment, unreadable } from '../tasks/step-parts.ts'
import { textOf } from '../tasks/video-size.ts'

// OpenAI's videos (API reference, "Videos", read 2026-11-23), which are also what most servers of videos offer their clients.

/** A server of these videos. */
export interface VideosHost {
  /** The address before `/v1/videos`, made of the channel's. */
  readonly rootOf: (baseUrl: string) => string
  readonly actions: readonly TaskAction[]
  /** Takes an image as a file of a form, and not in JSON. */
  readonly wantsForms: boolean
  /** Of new videos of a model, and of what is added to one. */
  lengthsOf(model: string, action: 'create' | 'extend'): Lengths
}

/** What the vendor makes without them ("Create video"), which are then not sent. An extension has to name its seconds. */
const defaultSize = { width: 720, height: 1280 }
const defaultSeconds = 4

/** Sizes that have a price (OpenAI, "Pricing", read 2026-11-23); every other is refused, because it has none. The smaller model has the first. */
const usualSizes: readonly string[] = ['720x1280', '1280x720']
const largeSizes: readonly string[] = [...usualSizes, '1024x1792', '1792x1024', '1080x1920', '1920x1080']

function sizesOf(model: string): readonly string[] {
  return /^sora-2(?!-pro)/.test(model) ? usualSizes : largeSizes
}

/**
 * The reference has 4, 8 and 12 seconds for a new video ("Create video") and these for an extension ("Extend video"); by the later guide, both
 * models make 16 and 20 seconds, too ("Video generation with Sora", "Models", stored copy read 2026-11-27).
 */
export const soraLengths: Lengths = [4, 8, 12, 16, 20]
/** Servers with models of their own say nowhere which lengths these have. */
const anyLength = { least: 1, most: 20 }

function openaiLengths(model: string): Lengths {
  return model.startsWith('sora-2') ? soraLengths : anyLength
}

const parameters: Parameters = { characters: { type: 'characters' } }

/** `size` of the price's factors: the shorter side, which is what OpenAI lists. */
const resolutions: Readonly<Record<string, string>> = { 720: '720p', 1024: '1024p', 1080: '1080p' }

const states: Readonly<Record<string, TaskReport['state']>> = {
  queued: 'queued',
  in_progress: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
}

const variants = ['video', 'thumbnail', 'spritesheet'] as const

export const openaiVideos: TaskDialect = {
  ...openaiVideosAt({
    rootOf: (baseUrl) => baseUrl,
    actions: ['remix', 'edit', 'extend'],
    wantsForms: false,
    lengthsOf: openaiLengths,
  }),
  // A webhook belongs to a project ("Webhooks", `video.completed` and `video.failed`, read 2026-11-23).
  taskIdIn: (message) => textOr(isObject(message) && isObject(message['data']) ? message['data']['id'] : undefined, '') || null,
}

export function openaiVideosAt(host: VideosHost): TaskDialect {
  return {
    actions: host.actions,
    videoActions: host.actions.filter((action) => action !== 'remix'),
    secondsMax: 6 * 60 * 60,
    fields: (model) => ({
      seconds: host.lengthsOf(model, 'create'),
      usualSeconds: defaultSeconds,
      sizes: sizesOf(model),
      usualSize: textOf(defaultSize),
      images: { least: 0, most: 1 },
      parameters,
    }),
    changeFields: (model, action) => {
      if (!host.actions.includes(action)) return null
      return action === 'extend' ? { ...wordsOnly, seconds: host.lengthsOf(model, action), usualSeconds: defaultSeconds } : wordsOnly
    },
    plan: (params) => planFor(host, params),
    submit: (context, params, responses) =>
      firstStep(
        responses,
        () => creation(host, context, params),
        (response) => {
          if (!isOk(response)) return { failed: failureOf(response) }
          const { json } = response
          if (!isObject(json) || typeof json['id'] !== 'string' || json['id'] === '') return unreadable(response)
          return { done: { vendorId: json['id'], memo: {}, report: reportOf(rootFor(host, context), params.action, json) } }
        },
      ),
    poll: (context, task, responses) =>
      firstStep(
        responses,
        () => get(addressOfTask(rootFor(host, context), task)),
        (response) => {
          if (response.status === 404) return { done: null }
          if (!isOk(response)) return { failed: failureOf(response) }
          return isObject(response.json) ? { done: reportOf(rootFor(host, context), task.action, response.json) } : unreadable(response)
        },
      ),
    createCharacter: (context, { name, video }, responses) =>
      firstStep(
        responses,
        () => {
          const { headers, body } = multipart(
            [
              { name: 'name', text: name },
              { ...video.file, name: 'video' },
            ],
            context.requestKey,
          )
          return { request: { method: 'POST', url: joinUrl(rootFor(host, context), '/v1/videos/characters'), headers, body } }
        },
        (response) => {
          if (!isOk(response)) return { failed: failureOf(response) }
          const id = isObject(response.json) ? textOr(response.json['id'], '') : ''
          return id === '' ? unreadable(response) : { done: id }
        },
      ),
    remove: (context, task, responses) =>
      firstStep(
        responses,
        () => ({ request: { method: 'DELETE', url: addressOfTask(rootFor(host, context), task) } }),
        (response) => (isOk(response) || response.status === 404 ? { done: true } : { failed: failureOf(response) }),
      ),
  }
}

function planFor(host: VideosHost, params: TaskParams): TaskPlan | RejectedTask {
  const unknown = wrongIn(params, params.action === 'create' ? parameters : {}) ?? refusedVideo(params) ?? refusedImage(host, params)
  if (unknown !== null) return { refused: unknown }
  const size = params.video ?? params.size ?? defaultSize
  const text = `${size.width}x${size.height}`
  const seconds = isChanged(params) ? Math.ceil(params.video.seconds) : (params.seconds ?? defaultSeconds)
  if (!sizesOf(params.model).includes(text)) return { refused: 'size' }
  if (!isLength(lengthsFor(host, params), seconds)) return { refused: 'seconds' }
  const short = String(Math.min(size.width, size.height))
  return { counts: { seconds, size: resolutions[short] ?? text }, seconds, size: text }
}

/** What is changed keeps its length, which another vendor or a video of the client may have made. */
function lengthsFor(host: VideosHost, { action, model }: TaskParams): Lengths {
  return action === 'create' || action === 'extend' ? host.lengthsOf(model, action) : anyLength
}

/** What is made of a video has its size, and if it is changed, its length. */
function refusedVideo(params: TaskParams): string | null {
  const { video, size, seconds } = params
  if (video === null) return null
  if (size !== null) return 'size'
  if (isChanged(params) && seconds !== null) return 'seconds'
  const isTooLong = isChanged(params) && video.seconds > anyLength.most
  return isTooLong || !sizesOf(params.model).includes(`${video.width}x${video.height}`) ? 'video' : null
}

function isChanged(params: TaskParams): params is TaskParams & { readonly video: InputVideo } {
  return params.video !== null && params.action === 'edit'
}

function refusedImage({ wantsForms }: VideosHost, { images: [image, second] }: TaskParams): string | null {
  const isUnfit = wantsForms && image !== undefined && fileOf(image) === null
  return second !== undefined || isUnfit ? 'input_reference' : null
}

function rootFor({ rootOf }: VideosHost, { baseUrl }: TaskContext): string {
  return rootOf(baseUrl)
}

function creation(host: VideosHost, context: TaskContext, params: TaskParams): { readonly request: TaskRequest } {
  const url = addressFor(rootFor(host, context), params)
  const headers = { 'idempotency-key': context.idempotencyKey }
  if (params.video !== null) return inForm(url, params, { ...context, file: { ...params.video.file, name: 'video' }, headers })
  const [image] = params.images
  const file = host.wantsForms && params.action === 'create' && image !== undefined ? fileOf(image) : null
  if (file === null) return post(url, bodyFor(params), headers)
  return inForm(url, { ...params, images: [] }, { ...context, file: { ...file, name: 'input_reference' }, headers })
}

interface FormParams extends Pick<TaskContext, 'requestKey'> {
  readonly file: FormFile & { readonly name: string }
  readonly headers: Readonly<Record<string, string>>
}

function inForm(url: string, params: TaskParams, { requestKey, file, headers }: FormParams): { readonly request: TaskRequest } {
  const texts = Object.entries(bodyFor(params)).map(
    ([name, text]): FormPart => ({ name, text: typeof text === 'string' ? text : JSON.stringify(text) }),
  )
  const form = multipart([...texts, file], requestKey)
  return { request: { method: 'POST', url, headers: { ...form.headers, ...headers }, body: form.body } }
}

/** `null`: an address of the web, or no base64. */
function fileOf(image: InputImage): FormFile | null {
  if ('file' in image) return image.file
  const content = contentOf(image)
  const bytes = content === null ? null : bytesOf(content.data)
  if (content === null || bytes === null) return null
  return { fileName: `picture.${content.contentType.split('/')[1] ?? 'png'}`, contentType: content.contentType, bytes }
}

function addressOfTask(root: string, { vendorId }: Pick<RunningTask, 'vendorId'>): string {
  return joinUrl(root, `/v1/videos/${segment(vendorId)}`)
}

const below: Readonly<Record<string, string>> = { edit: '/edits', extend: '/extensions' }

function addressFor(root: string, { action, source }: TaskParams): string {
  if (action === 'remix' && source !== null) return `${addressOfTask(root, source)}/remix`
  return joinUrl(root, `/v1/videos${below[action] ?? ''}`)
}

function bodyFor({ action, model, prompt, seconds, size, images, source, extra }: TaskParams): JsonObject {
  const earlier = source === null ? {} : { video: { id: source.vendorId } }
  if (action === 'remix') return { prompt }
  if (action === 'edit') return { prompt, ...earlier }
  if (action === 'extend') return { prompt, ...earlier, seconds: String(seconds ?? defaultSeconds) }
  const [image] = images
  return omitUndefined({
    model,
    prompt,
    seconds: seconds === null ? undefined : String(seconds),
    size: size === null ? undefined : `${size.width}x${size.height}`,
    input_reference: image === undefined ? undefined : { image_url: addressOf(image) },
    characters: extra['characters'],
  })
}

/** What a video object says. Unknown states are work in progress. */
function reportOf(root: string, action: TaskAction, video: JsonObject): TaskReport {
  const { id, status, progress, error, expires_at: expiresAt } = video
  const state = lookUp(states, textOr(status, '')) ?? 'in_progress'
  const known = { state, ...(isPercent(progress) ? { progress } : {}), data: video }
  if (state === 'failed') {
    const { code, message } = isObject(error) ? error : {}
    return { ...known, ...failedWith(textOr(code, 'task_failed'), textOr(message, '')).done }
  }
  if (state !== 'completed') return known
  const address = joinUrl(root, `/v1/videos/${segment(textOr(id, ''))}/content`)
  const results = variants.map((variant): TaskResult => ({ variant, url: variant === 'video' ? address : `${address}?variant=${variant}` }))
  // Of an extension it is the length of the whole video, of which only the new part is charged.
  const counted = action === 'extend' ? 0 : (numberOf(video['seconds']) ?? 0)
  return {
    ...known,
    results,
    ...(Number.isInteger(counted) && counted > 0 && counted <= 600 ? { counts: { seconds: counted } } : {}),
    ...(typeof expiresAt === 'number' ? { expiresAt } : {}),
  }
}

function isPercent(value: Json | undefined): value is number {
  return typeof value === 'number' && value >= 0 && value <= 100
}
