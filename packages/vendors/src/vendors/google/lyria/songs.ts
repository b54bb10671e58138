import { isObject, textOr } from '../../../core/is-object.ts'
import { joinUrl } from '../../../core/join-url.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import type { SubmittedTask, TaskContext, TaskDialect, TaskParams, TaskResponse, TaskResult, TaskStep } from '../../../core/task.ts'
import { anyText, type Parameters, textIn, wrongIn } from '../../../core/task-parameter.ts'
import { developerApi } from '../../../protocols/gemini/host.ts'
import { failedWith, failureOf, firstStep, isOk, post, unreadable } from '../../../protocols/tasks/step-parts.ts'
import { refusal } from '../../../protocols/tasks/video-request.ts'

// Songs of Lyria 3 (Gemini API, "Generate music with Lyria 3", stored copies read 2026-11-27). They come with the response to the order: the words as
// text, and the audio as data.

/** Whether a model makes songs by a call that responds with them. */
export function isLyria(model: string): boolean {
  return /^lyria-3-(?:clip|pro)-preview$/.test(model)
}

const parameters: Parameters = { gpt_description_prompt: anyText }

export const lyriaSongs: TaskDialect = {
  secondsMax: 10 * 60,
  actions: ['music'],
  fields: (model) => (isLyria(model) ? { seconds: null, sizes: [], images: { least: 0, most: 0 }, parameters } : null),
  plan(params) {
    const refused = refusedIn(params)
    return refused === null ? { counts: { calls: 1 } } : { refused }
  },
  submit(context, params, responses) {
    const refused = refusedIn(params)
    if (refused !== null) return { failed: refusal(refused) }
    const body = { contents: [{ role: 'user', parts: [{ text: wordsOf(params) }] }] }
    return firstStep(
      responses,
      () => post(joinUrl(context.baseUrl, developerApi.pathOf({ model: params.model, channel: context }, 'generateContent')), body),
      (response) => readSubmission(response, context),
    )
  },
  // It is only polled if the server was stopped when it had the response.
  poll: () => failedWith('task_result_lost', 'the song came with the response to its request, which was lost; nothing was charged'),
}

function refusedIn(params: TaskParams): string | null {
  if (!isLyria(params.model)) return 'model'
  const wrong = wrongIn(params, parameters)
  if (wrong !== null) return wrong
  if (params.images.length > 0) return 'image'
  return wordsOf(params) === '' ? 'prompt' : null
}

/** What a song is about, by either name that clients of songs have for it. */
function wordsOf({ prompt, extra }: TaskParams): string {
  return [prompt, textIn(extra, 'gpt_description_prompt') ?? ''].filter((words) => words !== '').join('\n')
}

function readSubmission(response: TaskResponse, { idempotencyKey }: TaskContext): TaskStep<SubmittedTask> {
  if (!isOk(response)) return { failed: failureOf(response) }
  const { json } = response
  if (!isObject(json)) return unreadable(response)
  const [candidate] = Array.isArray(json['candidates']) ? json['candidates'].filter(isObject) : []
  const parts = partsOf(candidate?.['content'])
  const audioParts = parts.flatMap(audioIn)
  if (audioParts.length === 0) return withoutAudio(json, candidate, response)
  const text = parts.flatMap(({ text: partText }) => (typeof partText === 'string' ? [partText] : [])).join('\n')
  const words: TaskResult[] = text === '' ? [] : [{ variant: 'text', text }]
  return {
    done: {
      vendorId: textOr(json['responseId'], idempotencyKey),
      memo: {},
      report: {
        state: 'completed',
        results: [...audioParts, ...words],
        data: { data: audioParts.map(() => ({ text, status: 'complete' })) },
      },
    },
  }
}

function partsOf(content: Json | undefined): readonly JsonObject[] {
  const parts = isObject(content) ? content['parts'] : undefined
  return Array.isArray(parts) ? parts.filter(isObject) : []
}

function audioIn({ inlineData }: JsonObject): readonly TaskResult[] {
  if (!isObject(inlineData)) return []
  const { mimeType, data } = inlineData
  if (typeof data !== 'string' || data === '') return []
  return [{ variant: 'audio', base64: data, contentType: textOr(mimeType, 'audio/mpeg') }]
}

const blocks: ReadonlySet<string> = new Set(['SAFETY', 'PROHIBITED_CONTENT', 'BLOCKLIST', 'RECITATION', 'SPII'])

/** What was refused for what it says has a reason; everything else is no response. */
function withoutAudio(json: JsonObject, candidate: JsonObject | undefined, response: TaskResponse): TaskStep<SubmittedTask> {
  const { promptFeedback } = json
  const blocked = isObject(promptFeedback) ? textOr(promptFeedback['blockReason'], '') : ''
  const reason = blocked === '' ? textOr(candidate?.['finishReason'], '') : blocked
  if (blocked === '' && !blocks.has(reason)) return unreadable(response)
  const message = `the upstream service refused to make the song: ${reason}`
  return { failed: { kind: 'bad_request', message, type: null, param: null, code: 'moderation_blocked' } }
}
