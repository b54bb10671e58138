import { given } from '../chat-parts.ts'
import { isObject, lookUp, textOr } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { anyText, flag, type Parameters, usually, wholeBetween, wrongIn } from '../tasks/parameter.ts'
import { failedWith, failureOf, firstStep, get, isOk, post, segment, unreadable } from '../tasks/step-parts.ts'
import type { TaskAnswer, TaskContext, TaskDialect, TaskOrder, TaskReport, TaskStep } from '../tasks/task.ts'
import { numberOf } from '../vendor-query.ts'
import { outputOf } from './native.ts'

// Pictures of the models that make them as jobs (Alibaba Cloud Model Studio, "Wan text-to-image V2 API reference", copies of 2026-01-19 and
// 2026-10-27, and "Manage asynchronous tasks", as clients of 2026 quote it, read 2026-11-24). Results are kept for a day.

/** Which pictures a model may be asked for. */
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

/** Whether a model makes its pictures as jobs. */
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

const daySeconds = 86_400

export const alibabaLaterPictures: TaskDialect = {
  secondsMax: 60 * 60,
  fields(model) {
    const found = limitsOf(model)
    if (found === null) return null
    const sizes = oldSizes.filter((size) => isPossibleSize(found, size))
    return {
      seconds: null,
      sizes: sizes.map((size) => size.replace('*', 'x')),
      usualSize: found.usual.replace('*', 'x'),
      pictures: { least: 0, most: 0 },
      parameters,
    }
  },
  plan(order) {
    const refused = wrongIn(order, parameters) ?? refusedIn(order)
    if (refused !== null) return { refused }
    return { counts: { images: 1 }, size: sizeOf(order).replace('*', 'x') }
  },
  submit: (context, order, answers) =>
    firstStep(
      answers,
      () => post(`${originOf(context)}/api/v1/services/aigc/text2image/image-synthesis`, bodyFor(order), { 'x-dashscope-async': 'enable' }),
      (answer) => {
        const id = outputOf(answer.json ?? null)?.['task_id']
        if (isOk(answer) && typeof id === 'string' && id !== '') return { done: { vendorId: id, memo: {} } }
        return isOk(answer) ? unreadable(answer) : { failed: refusalOf(answer) }
      },
    ),
  poll: (context, { vendorId }, answers) =>
    firstStep(
      answers,
      () => get(`${originOf(context)}/api/v1/tasks/${segment(vendorId)}`),
      (answer) => reported(context, answer),
    ),
  cancel: (context, { vendorId }, answers) =>
    firstStep(
      answers,
      () => post(`${originOf(context)}/api/v1/tasks/${segment(vendorId)}/cancel`, {}),
      // Only what waits can be stopped; of everything else it says so with status 400.
      (answer) => ({ done: isOk(answer) ? 'stopped' : 'ended' }),
    ),
}

function isPossibleSize({ isPossible }: Limits, size: string): boolean {
  const [width = 0, height = 0] = size.split('*').map(Number)
  return isPossible(width, height)
}

function refusedIn({ model, prompt, size, pictures }: TaskOrder): string | null {
  const found = limitsOf(model)
  if (found === null) return 'model'
  if (prompt === '') return 'prompt'
  if (pictures.length > 0) return 'image'
  return size === null || found.isPossible(size.width, size.height) ? null : 'size'
}

function sizeOf({ model, size }: Pick<TaskOrder, 'model' | 'size'>): string {
  return size === null ? (limitsOf(model)?.usual ?? usualSides.usual) : `${size.width}*${size.height}`
}

function bodyFor(order: TaskOrder): JsonObject {
  const { model, prompt, extra } = order
  const { negative_prompt, seed, prompt_extend, watermark } = extra
  return {
    model,
    input: given({ prompt, negative_prompt }),
    parameters: given({ size: sizeOf(order), n: 1, seed, prompt_extend, watermark }),
  }
}

function originOf({ baseUrl }: TaskContext): string {
  return URL.parse(baseUrl)?.origin ?? baseUrl
}

const states: Readonly<Record<string, TaskReport['state']>> = {
  PENDING: 'queued',
  RUNNING: 'in_progress',
  SUSPENDED: 'in_progress',
  SUCCEEDED: 'completed',
  FAILED: 'failed',
  CANCELED: 'cancelled',
}

function reported(context: TaskContext, answer: TaskAnswer): TaskStep<TaskReport | null> {
  if (answer.status === 404) return { done: null }
  if (!isOk(answer)) return { failed: refusalOf(answer) }
  const output = outputOf(answer.json ?? null)
  if (output === null) return unreadable(answer)
  // It has forgotten the task, or never had it.
  if (output['task_status'] === 'UNKNOWN') return { done: null }
  const state = lookUp(states, textOr(output['task_status'], '')) ?? 'in_progress'
  if (state === 'failed') return failedWith(codeOf(output), textOr(output['message'], ''))
  if (state !== 'completed') return { done: { state } }
  return { done: madeIn(context, output, answer.json ?? null) }
}

/** Of several pictures some may fail; one is asked for. */
function madeIn({ nowMs }: TaskContext, output: JsonObject, data: Json): TaskReport {
  const results = Array.isArray(output['results']) ? output['results'].filter(isObject) : []
  const urls = results.flatMap(({ url }) => (typeof url === 'string' && /^https?:\/\//.test(url) ? [url] : []))
  if (urls.length === 0) {
    const [first = {}] = results
    return failedWith(codeOf(first), textOr(first['message'], 'the upstream service made no picture')).done
  }
  const usage = isObject(data) && isObject(data['usage']) ? numberOf(data['usage']['image_count']) : null
  const counted = usage !== null && Number.isInteger(usage) && usage > 0 && usage <= 4 ? { counts: { images: usage } } : {}
  return {
    state: 'completed',
    results: urls.map((url) => ({ variant: 'image', url })),
    expiresAt: Math.floor(nowMs / 1000) + daySeconds,
    data,
    ...counted,
  }
}

function codeOf({ code }: JsonObject): string {
  const name = textOr(code, 'task_failed')
  return isModeration(name) ? 'moderation_blocked' : name
}

const isModeration = (code: string): boolean => /^data_?inspection_?failed|^IPInfringementSuspect$/i.test(code)

function refusalOf(answer: TaskAnswer) {
  const failure = failureOf(answer)
  return isModeration(failure.code ?? '') ? ({ ...failure, code: 'moderation_blocked' } as const) : failure
}
