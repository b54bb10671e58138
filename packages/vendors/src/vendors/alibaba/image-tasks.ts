import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { TaskContext, TaskDialect, TaskParams, TaskReport } from '../../core/task.ts'
import { anyText, flag, type Parameters, usually, wholeBetween, wrongIn } from '../../core/task-parameter.ts'
import { numberOf } from '../../core/vendor-query.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { cancelJob, expiryOf, failedJob, pollJob, submitJob } from './jobs.ts'

// Images of the models that make them as jobs (Alibaba Cloud Model Studio, "Wan text-to-image V2 API reference", copies of 2026-01-19 and
// 2026-10-27, read 2026-11-24).

/** Which images may be requested from a model. */
interface Limits {
  readonly usual: string
  isPossible(width: number, height: number): boolean
}

const usualSides: Limits = {
  usual: '1024*1024',
  isPossible: (width, height) => [width, height].every((side) => side >= 512 && side <= 1440),
}

const limits: ReadonlyArray<readonly [model: RegExp, limits: Limits]> = [
  [
    /^wan2\.5-t2i/,
    {
      usual: '1280*1280',
      isPossible: (width, height) => {
        const [pixels, ratio] = [width * height, width / height]
        return pixels >= 768 * 768 && pixels <= 1440 * 1440 && ratio >= 1 / 4 && ratio <= 4
      },
    },
  ],
  [/^wan2\.[0-4]-t2i|^wanx2\.\d-t2i/, usualSides],
  [/^wanx-v1$/, { usual: '1024*1024', isPossible: (width, height) => oldSizes.includes(`${width}*${height}`) }],
]

const oldSizes = ['1024*1024', '720*1280', '1280*720', '768*1152']

/** Whether a model makes its images as jobs. */
export function drawsLater(model: string): boolean {
  return limitsOf(model) !== null
}

function limitsOf(model: string): Limits | null {
  return limits.find(([name]) => name.test(model))?.[1] ?? null
}

/** With the defaults of that page, which are not sent; a size is always sent. */
const parameters: Parameters = {
  negative_prompt: anyText,
  seed: wholeBetween(0, 2_147_483_647),
  prompt_extend: usually(true, flag),
  watermark: usually(false, flag),
}

export const alibabaImageTasks: TaskDialect = {
  secondsMax: 60 * 60,
  fields(model) {
    const limits = limitsOf(model)
    if (limits === null) return null
    const sizes = oldSizes.filter((size) => isPossibleSize(limits, size))
    return {
      seconds: null,
      sizes: sizes.map((size) => size.replace('*', 'x')),
      usualSize: limits.usual.replace('*', 'x'),
      images: { least: 0, most: 0 },
      parameters,
    }
  },
  plan(params) {
    const refused = wrongIn(params, parameters) ?? refusedIn(params)
    if (refused !== null) return { refused }
    return { counts: { images: 1 }, size: sizeOf(params).replace('*', 'x') }
  },
  submit: (context, params, responses) =>
    submitJob(context, responses, { path: '/api/v1/services/aigc/text2image/image-synthesis', body: bodyFor(params) }),
  poll: (context, task, responses) =>
    pollJob(context, responses, { task, onCompleted: (output, response) => reportCompleted(context, output, response.json ?? null) }),
  cancel: cancelJob,
}

function isPossibleSize({ isPossible }: Limits, size: string): boolean {
  const [width = 0, height = 0] = size.split('*').map(Number)
  return isPossible(width, height)
}

function refusedIn({ model, prompt, size, images }: TaskParams): string | null {
  const limits = limitsOf(model)
  if (limits === null) return 'model'
  if (prompt === '') return 'prompt'
  if (images.length > 0) return 'image'
  return size === null || limits.isPossible(size.width, size.height) ? null : 'size'
}

function sizeOf({ model, size }: Pick<TaskParams, 'model' | 'size'>): string {
  return size === null ? (limitsOf(model)?.usual ?? usualSides.usual) : `${size.width}*${size.height}`
}

function bodyFor(params: TaskParams): JsonObject {
  const { model, prompt, extra } = params
  const { negative_prompt, seed, prompt_extend, watermark } = extra
  return {
    model,
    input: omitUndefined({ prompt, negative_prompt }),
    parameters: omitUndefined({ size: sizeOf(params), n: 1, seed, prompt_extend, watermark }),
  }
}

/** Of several images some may fail; one is requested. */
function reportCompleted(context: TaskContext, output: JsonObject, data: Json): TaskReport {
  const results = Array.isArray(output['results']) ? output['results'].filter(isObject) : []
  const urls = results.flatMap(({ url }) => (typeof url === 'string' && /^https?:\/\//.test(url) ? [url] : []))
  if (urls.length === 0) {
    const [first = {}] = results
    return failedJob(first, 'the upstream service returned no image').done
  }
  const usage = isObject(data) && isObject(data['usage']) ? numberOf(data['usage']['image_count']) : null
  const counted = usage !== null && Number.isInteger(usage) && usage > 0 && usage <= 4 ? { counts: { images: usage } } : {}
  return {
    state: 'completed',
    results: urls.map((url) => ({ variant: 'image', url })),
    expiresAt: expiryOf(context),
    data,
    ...counted,
  }
}
