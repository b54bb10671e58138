import { json, type Received, type Script } from '../fake-upstream.ts'
import { fileBatches, messageBatches } from '../hostile/batches.ts'
import { doubles } from './doubles/all.ts'
import { anthropicDouble } from './doubles/anthropic.ts'
import { responsesDouble } from './doubles/responses.ts'
import { alibabaImageDouble, alibabaVideoDouble } from './task-doubles/alibaba.ts'
import { doubaoDouble } from './task-doubles/bytedance.ts'
import { falDouble } from './task-doubles/fal.ts'
import { fluxImageDouble, fluxVideoDouble } from './task-doubles/flux.ts'
import { hailuo3Double, hailuoDouble } from './task-doubles/minimax.ts'
import { novitaDouble } from './task-doubles/novita.ts'
import { azureDouble, openaiDouble } from './task-doubles/openai.ts'
import { openrouterDouble } from './task-doubles/openrouter.ts'
import { pixverseDouble } from './task-doubles/pixverse.ts'
import { sunoDouble } from './task-doubles/suno.ts'
import { content, type TaskDouble } from './task-doubles/task-double.ts'
import { geminiVeoDouble, omniDouble } from './task-doubles/veo.ts'
import { zhipuDouble } from './task-doubles/zhipu.ts'
import { pieces, type ScriptedResponse, type VendorDouble } from './vendor-double.ts'

/** A request of a client, for one of the channels. */
export interface ClientCall {
  readonly path: string
  readonly body: object
}

/** A vendor with a channel, and what clients may ask of it. */
export interface HostileVendor {
  readonly name: string
  readonly channel: {
    readonly type: number
    readonly key: string
    readonly models: string
    readonly other: string
    readonly config: string
  }
  readonly calls: readonly ClientCall[]
  /** The right response. @param origin the vendor's own address */
  response(request: Received, origin: string): Script
}

const usage = { prompt: 100, completion: 20, cached: 10 }
const called: ScriptedResponse = { text: 'So.', tools: [{ name: 'weather', input: { city: 'Lisbon' } }], finish: 'tool_calls', usage }

const questions = [
  ...[{ hard_limit_usd: 10, has_payment_method: true, total_usage: 300, total_available: 5, is_available: true }],
  ...[{ balance_infos: [{ currency: 'CNY', total_balance: '7.5' }], character_limit: 500, character_count: 5, credits: 3 }],
]
/** Every balance that a vendor names, and a list of models in every form. */
const accountOf = (): Script =>
  json({
    ...questions[0],
    ...questions[1],
    data: [{ id: 'model-a' }, { id: 'model-b', object: 'model' }],
    models: [{ name: 'models/model-c', supportedGenerationMethods: ['generateContent'] }],
    balance: 12.5,
  })

function chatResponse(double: VendorDouble, request: Received): Script {
  const granted = double.grant?.(request) ?? null
  if (granted !== null) return granted
  if (request.method === 'GET') return accountOf()
  const { path, body } = request
  const speaker = /\/responses$/.test(path) ? responsesDouble : /\/messages$/.test(path) ? anthropicDouble : double
  const isStream = /"stream": ?true|streamGenerate|-stream/.test(body + path) || double.lacks?.includes('events') === true
  const response: ScriptedResponse = /weather/.test(body) && !speaker.lacks?.includes('tools') ? called : { text: 'Hello there', usage }
  if (!isStream) return speaker.whole(response)
  const { contentType, frames } = speaker.stream(response)
  return pieces(contentType, frames)
}

const messages = [{ role: 'user', content: 'Hi' }]
const weather = { type: 'object', properties: { city: { type: 'string' } } }
const chatTools = [{ type: 'function', function: { name: 'weather', parameters: weather } }]

const chatCalls = (model: string): readonly ClientCall[] => [
  { path: '/v1/chat/completions', body: { model, messages } },
  { path: '/v1/chat/completions', body: { model, messages, stream: true } },
  { path: '/v1/chat/completions', body: { model, messages, tools: chatTools, stream: true } },
  { path: '/v1/chat/completions', body: { model, messages, tools: chatTools } },
  { path: '/v1/messages', body: { model, messages, max_tokens: 100 } },
  { path: '/v1/messages', body: { model, messages, max_tokens: 100, stream: true, tools: [{ name: 'weather', input_schema: weather }] } },
  { path: '/v1/responses', body: { model, input: 'Hi' } },
  {
    path: '/v1/responses',
    body: { model, input: 'Hi', stream: true, tools: [{ type: 'function', name: 'weather', parameters: weather }] },
  },
  { path: `/v1beta/models/${model}:generateContent`, body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] } },
  { path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`, body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] } },
]

const chatVendors: readonly HostileVendor[] = doubles.map((double) => ({
  name: `chats of ${double.name}`,
  channel: {
    ...{ type: double.type, key: double.key, models: double.model },
    ...{ other: double.other ?? '', config: double.config === undefined ? '' : JSON.stringify(double.config) },
  },
  calls: chatCalls(double.model),
  response: (request) => chatResponse(double, request),
}))

/** Work that has begun advances when it is polled; one in eight fails. */
function moveOn({ works }: Pick<TaskDouble, 'works'>): void {
  works.forEach((work, place) => {
    if (work.stage === 'queued') work.stage = 'running'
    else if (work.stage === 'running') work.stage = place % 8 === 7 ? 'failed' : 'done'
  })
}

function taskVendor(
  name: string,
  double: Pick<TaskDouble, 'type' | 'key' | 'models' | 'works' | 'response' | 'contentType'>,
  calls: readonly ClientCall[],
): HostileVendor {
  return {
    name,
    channel: { type: double.type, key: double.key, models: double.models, other: '', config: '' },
    calls,
    response(request, origin) {
      if (request.path.startsWith('/results/')) return content(request, double.contentType)
      if (request.method === 'GET') moveOn(double)
      return double.response(request, origin)
    },
  }
}

const taskDoubles: ReadonlyArray<readonly [name: string, make: () => TaskDouble]> = [
  ['fal', falDouble],
  ['PixVerse', pixverseDouble],
  ['Flux pictures', fluxImageDouble],
  ['Flux videos', fluxVideoDouble],
  ['Alibaba pictures', alibabaImageDouble],
  ['Alibaba videos', alibabaVideoDouble],
  ['ByteDance videos', doubaoDouble],
  ['MiniMax videos', hailuoDouble],
  ['MiniMax H3 videos', hailuo3Double],
  ['Novita pictures', novitaDouble],
  ['Zhipu videos', zhipuDouble],
  ['OpenRouter videos', openrouterDouble],
  ['OpenAI videos', openaiDouble],
  ['Azure videos', azureDouble],
  ['Veo', () => geminiVeoDouble(49)],
  ['Omni', omniDouble],
]

function taskVendors(): readonly HostileVendor[] {
  const suno = sunoDouble()
  const songs = [
    { path: '/suno/submit/music', body: { gpt_description_prompt: 'Rain', mv: 'chirp-v4' } },
    { path: '/suno/submit/lyrics', body: { prompt: 'Rain' } },
  ]
  return [
    ...taskDoubles.map(([name, make]) => {
      const double = make()
      return taskVendor(name, double, [{ path: double.path, body: double.params }])
    }),
    taskVendor('songs', suno, songs),
  ]
}

const openaiKinds: Readonly<Record<string, Script>> = {
  embeddings: json({
    object: 'list',
    model: 'm',
    data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }],
    usage: { prompt_tokens: 5, total_tokens: 5 },
  }),
  generations: json({
    created: 1_700_000_000,
    data: [{ b64_json: 'aGVsbG8=' }],
    usage: { input_tokens: 5, output_tokens: 100, total_tokens: 105 },
  }),
  transcriptions: json({ text: 'Hello', usage: { type: 'duration', seconds: 3 } }),
  moderations: json({ id: 'modr-1', model: 'm', results: [{ flagged: false, categories: {}, category_scores: {} }] }),
  speech: [
    { do: 'head', status: 200, headers: { 'content-type': 'audio/mpeg' } },
    { do: 'send', bytes: 'ID3 sound' },
  ],
}

const kinds: HostileVendor = {
  name: 'other kinds of OpenAI',
  channel: { type: 1, key: 'k', models: 'text-embedding-3-small,gpt-image-1,tts-1,omni-moderation-latest', other: '', config: '' },
  calls: [
    { path: '/v1/embeddings', body: { model: 'text-embedding-3-small', input: 'Hi' } },
    { path: '/v1/images/generations', body: { model: 'gpt-image-1', prompt: 'A cat' } },
    { path: '/v1/audio/speech', body: { model: 'tts-1', input: 'Hi', voice: 'alloy' } },
    { path: '/v1/moderations', body: { model: 'omni-moderation-latest', input: 'Hi' } },
  ],
  response: ({ path, method }) => (method === 'GET' ? accountOf() : (openaiKinds[path.split('/').at(-1) ?? ''] ?? accountOf())),
}

function batchVendor(
  name: string,
  { type, model, response }: { type: number; model: string; response: (request: Received) => Script | null },
): HostileVendor {
  const params = { model, max_tokens: 100, messages }
  return {
    name,
    channel: { type, key: 'sk-batches', models: model, other: '', config: '' },
    calls: [{ path: '/v1/messages/batches', body: { requests: ['one', 'two'].map((id) => ({ custom_id: id, params })) } }],
    response: (request) => response(request) ?? accountOf(),
  }
}

/** Every vendor whose wire a double speaks, each new. */
export function hostileVendors(): readonly HostileVendor[] {
  return [
    ...chatVendors,
    ...taskVendors(),
    kinds,
    batchVendor('batches of Anthropic', { type: 14, model: 'claude-haiku-4-5', response: messageBatches() }),
    batchVendor('batches of OpenAI', { type: 1, model: 'gpt-4o-mini', response: fileBatches() }),
  ]
}
