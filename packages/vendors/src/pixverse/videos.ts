import { lookUp, textOr } from '../is-object.ts'
import { joinUrl } from '../join-url.ts'
import type { JsonObject } from '../json.ts'
import { multipart } from '../tasks/multipart.ts'
import { failedWith, get, post, segment, unreadable } from '../tasks/step-parts.ts'
import type { SubmittedTask, TaskAnswer, TaskContext, TaskCounts, TaskDialect, TaskOrder, TaskReport, TaskStep } from '../tasks/task.ts'
import { uuidOf } from '../tasks/uuid.ts'
import { refusal } from '../tasks/video-order.ts'
import { numberOf } from '../vendor-query.ts'
import { deleted, isModeration, notFound, opened } from './envelope.ts'
import { bodyFor, type Picture, type Wish, wishOf } from './order.ts'

// Videos of PixVerse (docs.platform.pixverse.ai, "Text-to-Video generation", "Image-to-Video generation", "Extend generation", "Upload Image" and
// "Get Video Generation Status", stored copies read 2026-11-23).

export const pixverseVideos: TaskDialect = {
  // Submissions with the same `ai-trace-id` give the same video ("FAQ").
  isRepeatable: true,
  actions: ['extend'],
  secondsMax: 6 * 60 * 60,
  plan(order) {
    const wish = wishOf(order)
    if ('refused' in wish) return wish
    const { credits, made, size } = wish
    return { counts: { credits }, seconds: made.duration, ...(size === undefined ? {} : { size }) }
  },
  submit: (context, order, answers) => {
    const wish = wishOf(order)
    if ('refused' in wish) return { failed: refusal(wish.refused) }
    const [first, second] = answers
    if (wish.picture === null) return first === undefined ? withoutPicture(context, { order, wish }) : submitted(first)
    if (first === undefined) return upload(context, wish.picture)
    return second === undefined ? afterUpload(context, { order, wish }, first) : submitted(second)
  },
  poll: (context, { vendorId }, [answer]) =>
    answer === undefined
      ? get(joinUrl(context.baseUrl, `/openapi/v2/video/result/${segment(vendorId)}`), trace(context, context.requestKey))
      : reported(answer),
}

interface Ordered {
  readonly order: TaskOrder
  readonly wish: Wish
}

/** The vendor documents a UUID, and takes a request with a known one for the earlier request. */
function trace({ crypto }: TaskContext, name: string): Readonly<Record<string, string>> {
  return { 'ai-trace-id': uuidOf(crypto, name) }
}

/** @param path of the kind of work */
function generate(context: TaskContext, path: 'text' | 'img' | 'extend', body: JsonObject): TaskStep<SubmittedTask> {
  return post(joinUrl(context.baseUrl, `/openapi/v2/video/${path}/generate`), body, trace(context, context.idempotencyKey))
}

function withoutPicture(context: TaskContext, { order, wish }: Ordered): TaskStep<SubmittedTask> {
  const { continued } = wish
  if (continued === null) return generate(context, 'text', bodyFor(order, wish, {}))
  const id = Number(continued)
  const beginning = { source_video_id: Number.isSafeInteger(id) ? id : continued, seed: seedFor(context) }
  return generate(context, 'extend', bodyFor(order, wish, beginning))
}

/** An extension has to have a seed: the same for the same order. */
function seedFor({ crypto, idempotencyKey }: TaskContext): number {
  return Number.parseInt(uuidOf(crypto, idempotencyKey).slice(0, 7), 16)
}

function upload(context: TaskContext, picture: Picture): TaskStep<SubmittedTask> {
  const { requestKey, baseUrl } = context
  const part = 'url' in picture ? { name: 'image_url', text: picture.url } : { ...picture, name: 'image' }
  const { headers, body } = multipart([part], requestKey)
  const url = joinUrl(baseUrl, '/openapi/v2/image/upload')
  return { request: { method: 'POST', url, headers: { ...headers, ...trace(context, requestKey) }, body } }
}

function afterUpload(context: TaskContext, ordered: Ordered, answer: TaskAnswer): TaskStep<SubmittedTask> {
  const open = opened(answer)
  if ('failed' in open) return { failed: open.failed }
  const id = numberOf(open.held['img_id'])
  return id === null || !Number.isSafeInteger(id)
    ? unreadable(answer)
    : generate(context, 'img', bodyFor(ordered.order, ordered.wish, { img_id: id }))
}

function submitted(answer: TaskAnswer): TaskStep<SubmittedTask> {
  const open = opened(answer)
  if ('failed' in open) return { failed: open.failed }
  const vendorId = idIn(open.held, answer)
  return vendorId === null ? unreadable(answer) : { done: { vendorId, memo: {}, ...countsIn(open.held) } }
}

/** The vendor's ids are numbers, some resellers' are texts. A number that is too long for its type is read from the text of the answer. */
function idIn({ video_id: id }: JsonObject, { text }: TaskAnswer): string | null {
  if (typeof id === 'string') return id === '' ? null : id
  if (typeof id !== 'number' || id <= 0) return null
  return Number.isSafeInteger(id) ? String(id) : (/"video_id"\s*:\s*(\d+)/.exec(text)?.[1] ?? null)
}

const creditsMax = 100_000

/** What the vendor says that it took. */
function countsIn({ credits, credit }: JsonObject): { readonly counts?: TaskCounts } {
  const taken = numberOf(credits ?? credit)
  return taken !== null && taken > 0 && taken <= creditsMax ? { counts: { credits: taken } } : {}
}

/** Numbers of states that are not work in progress. */
const failures: Readonly<Record<number, readonly [code: string, message: string]>> = {
  6: ['deleted', 'the upstream service has deleted the video'],
  7: ['moderation_blocked', 'the video did not pass the moderation of the upstream service'],
  8: ['task_failed', ''],
}

function reported(answer: TaskAnswer): TaskStep<TaskReport | null> {
  if (answer.status === 404) return { done: null }
  const open = opened(answer)
  if (!('failed' in open)) return { done: reportOf(open.held) }
  const { code, failed } = open
  if (code === notFound) return { done: null }
  if (isModeration(open)) return failedWith('moderation_blocked', failed.message)
  return code === deleted ? failedWith('deleted', failed.message) : { failed }
}

function reportOf(video: JsonObject): TaskReport {
  const state = numberOf(video['status'])
  const failure = lookUp(failures, String(state))
  if (failure !== undefined) return { ...failedWith(...failure).done, data: video }
  if (state !== 1) return { state: 'in_progress', data: video }
  const url = textOr(video['url'], '')
  if (!/^https?:\/\//.test(url)) return { ...failedWith('no_result', 'the upstream service made no video').done, data: video }
  return { state: 'completed', results: [{ variant: 'video', url }], data: video }
}
