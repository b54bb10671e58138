import type { Failure } from '../../../core/failure.ts'
import { asNumber, isObject, textOr } from '../../../core/is-object.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import type { SubmittedTask, TaskContext, TaskDialect, TaskReport, TaskResponse, TaskResult, TaskStep } from '../../../core/task.ts'
import { errorIn, readFailure } from '../../../protocols/gemini/failure.ts'
import { objectsIn } from '../../../protocols/shared/chat-parts.ts'
import { failedWith, firstStep, isOk, post, segment, unreadable, withoutNull } from '../../../protocols/tasks/step-parts.ts'
import { geminiApi, googleCloud, type VeoHost } from './hosts.ts'
import { bodyFor, changeFields, fieldsOf, planFor, refusedIn } from './video-params.ts'

/** Videos of Google's models at one of its services. */
export function veoAt(host: VeoHost): TaskDialect {
  return {
    secondsMax: 60 * 60,
    fields: (model) => fieldsOf(host, model),
    ...(host.isCloud ? ({ actions: ['extend'], videoActions: ['extend'], changeFields } as const) : {}),
    plan(rawParams) {
      const params = withoutNull(rawParams)
      const refused = refusedIn(host, params)
      return refused === null ? planFor(params) : { refused }
    },
    submit: (context, params, responses) =>
      firstStep(responses, () => post(host.addressOf(context, params.model), bodyFor(host, withoutNull(params))), readSubmission),
    poll: (context, task, responses) =>
      firstStep(
        responses,
        () => host.ask(context, task),
        (response) => {
          if (response.status === 404) return { done: null }
          if (!isOk(response)) return { failed: readFailure(response.status, response.text) }
          return isObject(response.json) ? { done: reportOf(host, context, response.json) } : unreadable(response)
        },
      ),
  }
}

/** At the Gemini API. */
export const geminiVideos = veoAt(geminiApi)
/** At Google Cloud. */
export const vertexAiVideos = veoAt(googleCloud)

/** Names of operations, which become a part of a path: `models/veo-3.1-generate-001/operations/a1`. */
const isName = /^[\w~-][\w.~-]{0,255}(?:\/[\w~-][\w.~-]{0,255}){0,31}$/

function readSubmission(response: TaskResponse): TaskStep<SubmittedTask> {
  const failure = isOk(response) ? errorIn(response.json) : readFailure(response.status, response.text)
  if (failure !== null) return { failed: isModeration(failure) ? { ...failure, code: 'moderation_blocked' } : failure }
  const name = isObject(response.json) ? textOr(response.json['name'], '') : ''
  return isName.test(name) ? { done: { vendorId: name, memo: {}, report: { state: 'queued', progress: 0 } } } : unreadable(response)
}

/** The words of errors about what a client may not make. */
const isAboutContent = /responsible ai|safety|usage guidelines|prohibited|violat/i

/** A refusal of what the client requested, because of its content. */
function isModeration({ kind, message }: Failure): boolean {
  return kind === 'bad_request' && isAboutContent.test(message)
}

function reportOf(host: VeoHost, { nowMs }: TaskContext, operation: JsonObject): TaskReport {
  const { done, error, response } = operation
  // The services report no progress.
  if (done !== true) return { state: 'in_progress' }
  if (isObject(error)) {
    const message = textOr(error['message'], '')
    return failedWith(isAboutContent.test(message) ? 'moderation_blocked' : 'task_failed', message).done
  }
  const output = isObject(response) ? response : {}
  const results = resultsIn(output)
  if (results.length === 0) return withoutResult(output)
  const expires = host.keptSeconds === null ? {} : { expiresAt: Math.floor(nowMs / 1000) + host.keptSeconds }
  return { state: 'completed', progress: 100, results, ...expires }
}

/** What it made is withheld if it may show what it must not. */
function withoutResult(response: JsonObject): TaskReport {
  const filtered = isObject(response['generateVideoResponse']) ? response['generateVideoResponse'] : response
  const { raiMediaFilteredReasons: reasons, raiMediaFilteredCount: count } = filtered
  const words = Array.isArray(reasons) ? reasons.filter((reason) => typeof reason === 'string').join(' ') : ''
  if (words === '' && !(asNumber(count) > 0)) return failedWith('no_result', 'the upstream service reports success without a result').done
  return failedWith('moderation_blocked', words === '' ? 'the upstream service withheld the video because of its content' : words).done
}

/** The Gemini API puts each video into a member of its own. */
function resultsIn({ generateVideoResponse: inner, videos }: JsonObject): readonly TaskResult[] {
  const samples = isObject(inner) ? objectsIn(inner['generatedSamples']).flatMap(({ video }) => (isObject(video) ? [video] : [])) : []
  return [...samples, ...objectsIn(videos)].flatMap(resultOf).slice(0, 1)
}

function resultOf(video: JsonObject): readonly TaskResult[] {
  const contentType = video['mimeType'] ?? video['encoding']
  const typeField = typeof contentType === 'string' && contentType.startsWith('video/') ? { contentType } : {}
  const base64 = filled(video['bytesBase64Encoded']) ?? filled(video['encodedVideo'])
  if (base64 !== null) return [{ variant: 'video', base64, ...typeField }]
  const url = filled(video['uri']) ?? inStorage(filled(video['gcsUri']))
  return url !== null && /^https?:\/\//.test(url) ? [{ variant: 'video', url, ...typeField }] : []
}

/** What is in a bucket of Cloud Storage, which takes the same key (Cloud Storage, "XML API", "GET Object", read 2026-11-25). */
function inStorage(address: string | null): string | null {
  const [, bucket, name] = /^gs:\/\/([\w.-]+)\/(.+)$/.exec(address ?? '') ?? []
  return bucket === undefined || name === undefined
    ? null
    : `https://storage.googleapis.com/${bucket}/${name.split('/').map(segment).join('/')}`
}

function filled(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
