import type { InlineFile } from '../../apps/server/src/relay/model/request-params.ts'
import { PromptMedia } from '../../apps/server/src/relay/pricing/prompt-media.ts'
import { formEn } from '../../packages/contract/src/messages/form-en.ts'
import { JsonCounter, JsonTally } from '../../packages/vendors/src/core/json-counter.ts'
import { noUsage } from '../../packages/vendors/src/core/no-usage.ts'
import { Rewrites } from '../../packages/vendors/src/core/rewrites.ts'
import { traitsOf as traitsOfClaude } from '../../packages/vendors/src/protocols/anthropic/models.ts'
import { noCounts } from '../../packages/vendors/src/protocols/anthropic/usage.ts'
import { openaiBatches } from '../../packages/vendors/src/protocols/batches/openai-forms.ts'
import { noTools } from '../../packages/vendors/src/protocols/bodies/offered-tools.ts'
import { developerApi } from '../../packages/vendors/src/protocols/gemini/host.ts'
import { traitsOf as traitsOfGemini } from '../../packages/vendors/src/protocols/gemini/models.ts'
import { vendorByType } from '../../packages/vendors/src/registry/list.ts'
import { doubaoVideos } from '../../packages/vendors/src/vendors/bytedance/videos.ts'
import { geminiApi } from '../../packages/vendors/src/vendors/google/veo/hosts.ts'
import { targetOf } from '../../packages/vendors/test/channel.ts'
import { chatDialects } from '../../packages/vendors/test/chat-dialects.ts'
import { cryptoFunctions } from '../../packages/vendors/test/crypto.ts'
import { runningTask, taskContext, taskParamsOf } from '../../packages/vendors/test/tasks.ts'
import { constantOf, constants } from './constants.ts'
import { boxOf } from './example-box.ts'
import { exampleRules } from './example-rules.ts'
import { anyOf, atMost, bytes, json, objectLists, objects, textLists, texts, textsIn, within } from './hostile-arguments.ts'
import type { ParameterRow } from './place.ts'
import { uncalledTypes } from './uncalled-types.ts'

const ours = (value: unknown): ParameterRow => ({ ours: () => value })

const encoder = new TextEncoder()
const pages: ParameterRow = { plain: '', hostile: () => [{ name: 'pages', make: (length) => '/Type /Page '.repeat(length / 12) }] }

function inlineFiles(type: string): ParameterRow {
  const encoded = (data: unknown): string =>
    Buffer.from(data instanceof Uint8Array ? data : encoder.encode(String(data))).toString('base64')
  return within(anyOf(texts, bytes, pages), (data): InlineFile => ({ type, data: encoded(data) }))
}

const failure = { kind: 'bad_request', message: 'a', type: null, param: null, code: null }
const facts = { baseUrl: 'https://a.example', key: 'a', config: {}, other: '' }
const taskParams = taskParamsOf({ model: 'm' })
const taskResponse = { status: 200, text: '{}', json: {} }

const failures = textsIn(failure, 'message', 'code', 'type', 'param')
const channels = anyOf(
  textsIn(facts, 'baseUrl', 'key', 'other'),
  ...['region', 'ak', 'sk', 'user_id', 'vertex_ai_adc'].map((name) => within(texts, (text) => ({ ...facts, config: { [name]: text } }))),
)
const cases = anyOf(
  textsIn({ ...taskParams }, 'prompt', 'model'),
  within(objects, (extra) => ({ ...taskParams, extra })),
  within(texts, (url) => ({ ...taskParams, images: [{ url }] })),
)
const responses = anyOf(
  within(json, (value) => ({ ...taskResponse, json: value, text: 'a' })),
  within(texts, (text) => ({ status: 400, text, json: undefined })),
)
const block = { kind: 'tool', id: 'a', name: 'a', text: 'a', extra: null, source: {}, citations: [], counter: new JsonCounter() }
const images = within(texts, (url) => ({ url }))
const settingCells = { system_prompt: '', header_override: '', openai_organization: '', setting: '', test_model: '', auto_disabled: '' }
const toOptional = within(texts, (text) => text)

/** Parameters of the packages that get data from outside, by their type as it is written. */
const hostile: Readonly<Record<string, ParameterRow>> = {
  string: texts,
  'string | null': toOptional,
  'string | Uint8Array': texts,
  'readonly string[]': textLists,
  'readonly string[] | null': textLists,
  'ReadonlyArray<string | null>': textLists,
  'Iterable<string>': textLists,
  // Holds: they are lists of texts.
  'ReadonlySet<string>': within(textLists, (list) => new Set(list as readonly string[])),
  'readonly (string | number)[]': textLists,
  'readonly (string | number | boolean)[]': textLists,
  Uint8Array: bytes,
  JsonObject: objects,
  SoFar: within(texts, (text) => ({ usage: null, hasContent: false, text })),
  SseEvent: within(texts, (data) => ({ data, raw: new Uint8Array() })),
  "'delta' | 'message'": ours('delta'),
  OfferedTools: ours(noTools),
  VectorForm: ours('base64'),
  EmbeddingInputs: ours({}),
  JoinedParts: within(textLists, (vectors) => ({ vectors, usages: [] })),
  "'searches' | 'fileSearches' | 'containers' | 'images'": ours('containers'),
  '{ readonly tool: JsonObject; readonly callsMax: number | null }': within(objects, (tool) => ({ tool, callsMax: null })),
  "'message' | 'delta'": ours('message'),
  ClientResponse: within(objects, (response) => ({ response, usage: noUsage })),
  'JsonObject | undefined': objects,
  'JsonObject | null': objects,
  'JsonObject | Failure': objects,
  Json: json,
  'Json | undefined': json,
  unknown: json,
  Value: json,
  'readonly JsonObject[]': objectLists,
  'readonly Json[]': objectLists,
  'ReadonlyArray<Json | undefined>': objectLists,
  'ReadonlyMap<string, JsonObject>': within(objects, (value) => new Map([['a', value]])),
  'Readonly<Record<string, string>>': within(texts, (text) => ({ a: text })),
  "Target['clientHeaders']": within(texts, (text) => ({ 'anthropic-beta': text })),
  Headers: within(textLists, (list) => new Headers(headersOf(list))),
  Failure: failures,
  ErrorResponse: within(texts, (body) => ({ status: 400, body })),
  "Pick<ChannelFacts, 'baseUrl'>": channels,
  "Pick<ChannelFacts, 'baseUrl' | 'other'>": channels,
  "Pick<ChannelFacts, 'key'>": channels,
  "Pick<ChannelFacts, 'key' | 'config'>": channels,
  "Pick<ChannelFacts, 'config' | 'key'>": channels,
  "Omit<ChannelFacts, 'baseUrl'>": channels,
  ChannelFacts: channels,
  Channel: channels,
  StoredFacts: textsIn({ ...facts, config: '' }, 'baseUrl', 'key', 'other', 'config'),
  TaskParams: cases,
  "Pick<TaskParams, 'model' | 'images'>": cases,
  TaskResponse: responses,
  TaskResponses: within(responses, (value) => [value]),
  'readonly TaskResponse[]': within(responses, (value) => [value]),
  RunningTask: anyOf(
    within(texts, (vendorId) => runningTask({ model: 'm', vendorId: String(vendorId) })),
    within(objects, (memo) => ({ ...runningTask({ model: 'm' }), memo })),
  ),
  InputImage: images,
  '(model: string) => boolean': ours(() => true),
  UploadedFile: within(bytes, (value) => ({ name: 'image', fileName: 'a.png', contentType: 'image/png', bytes: value })),
  "Pick<UploadedFile, 'contentType' | 'bytes'>": within(bytes, (value) => ({ contentType: 'image/png', bytes: value })),
  '{ readonly extra: JsonObject }': within(objects, (extra) => ({ extra })),
  '{ readonly text: string; readonly signature: string }': textsIn({ text: 'a', signature: 'a' }, 'text', 'signature'),
  Carried: within(objects, (extra) => ({ extra, thought: 'a', blocks: [extra] })),
  Whole: within(objects, (message) => ({ message, reason: 'stop', usage: noUsage })),
  Parts: within(objectLists, (content) => ({ content, usage: noUsage })),
  ResponseParts: within(objectLists, (output) => ({ status: 'completed', output, usage: noUsage })),
  UpstreamRequest: within(objects, (body) => ({ kind: 'chat', body, isOneForm: true })),
  SchemaRule: within(objects, (schema) => ({ kind: 'chat', schema, field: 'response_format' })),
  "readonly Pick<StreamStep, 'chunks'>[]": within(objectLists, (chunks) => [{ chunks }, { chunks }]),
  '{ readonly path: string; readonly body: JsonObject; readonly memo?: JsonObject }': within(objects, (body) => ({ path: '/a', body })),
  'SidePlace & { readonly body: JsonObject }': within(objects, (body) => ({ model: 'm', baseUrl: 'https://a.example', body })),
  SidePlace: textsIn({ model: 'm', baseUrl: 'https://a.example' }, 'model', 'baseUrl'),
  CallSoFar: within(texts, (input) => ({ input })),
  Item: textsIn({ kind: 'text', id: 'a', text: 'a', callId: 'a', name: 'a' }, 'text', 'callId', 'name'),
  Block: textsIn(block, 'text', 'name'),
  JsonTally: { ours: () => new JsonTally() },
  "Pick<Outgoing, 'body' | 'messages' | 'unwrapTool'>": within(objects, (body) => ({ body })),
  "Pick<Outgoing, 'body'>": within(objects, (body) => ({ body })),
  "Pick<ResponseContext, 'cutAt'>": within(textLists, (cutAt) => ({ cutAt })),
  Body: within(objectLists, (messages) => ({ system: messages, messages })),
  Draft: within(objects, (body) => ({ outgoing: { path: '/a', headers: {}, body }, isOpenAIForm: true })),
  RefusedRequest: within(objects, (body) => ({ model: 'm', body })),
  Ruled: within(texts, (model) => ({ model: String(model) })),
  "Ruled['clientHeaders']": within(texts, (text) => ({ 'anthropic-beta': text })),
  "Pick<Target, 'model' | 'channel'>": within(texts, (model) => targetOf({ model: String(model) })),
  CutTexts: ours(new Map()),
  Buffer: within(bytes, (value) => (value instanceof Uint8Array ? Buffer.from(value) : value)),
  ChannelRows: within(objectLists, (rows) => ({ rows, version: null })),
  CodedMessage: within(texts, (text) => ({ code: 'functions_and_tools', params: { name: text } })),
  CodedMessageParams: within(texts, (text) => ({ name: text })),
  TaskRow: textsIn({ channel: 1, channel_name: 'a' }, 'channel_name'),
  Polled: ours({ task: runningTask({ model: 'm' }), made: () => ({ state: 'completed', results: [] }) }),
  UnsignedRequest: anyOf(
    textsIn({ method: 'POST', url: 'https://a.example/a', headers: {}, body: 'a' }, 'body'),
    within(atMost(2_048, texts), (text) => ({
      method: 'POST',
      url: `https://a.example/${String(text)}?${String(text)}`,
      headers: { a: text },
      body: '',
    })),
  ),
  'readonly BatchedRequest[]': within(objects, (params) => [{ custom_id: 'a', params }]),
  'readonly UploadedFile[]': within(bytes, (value) => [{ name: 'image', fileName: 'a.png', contentType: 'image/png', bytes: value }]),
  'readonly TaskResult[]': within(textLists, (list) =>
    Array.isArray(list) ? list.map((url: unknown) => ({ variant: 'video', url })) : [],
  ),
  'readonly FormPart[]': anyOf(
    within(textLists, (list) => (Array.isArray(list) ? list.map((text: unknown) => ({ name: 'a', text })) : [])),
    within(texts, (fileName) => [{ name: 'a', fileName, contentType: 'image/png', bytes: new Uint8Array(8) }]),
  ),
  Content: within(bytes, (value) => ({ contentType: 'image/png', bytes: value })),
  KeyCells: textsIn({ key: 'a', channel_info: '', multi_key_info: '' }, 'key', 'channel_info', 'multi_key_info'),
  SettingCells: textsIn(settingCells, ...Object.keys(settingCells)),
  SourceRow: within(texts, (text) => ({ key: text, name: text })),
  TaskParamParts: within(objects, (body) => ({
    body: { model: 'm', prompt: 'a', ...(typeof body === 'object' ? body : {}) },
    files: [],
    video: null,
  })),
  Secretive: anyOf(
    within(texts, (key) => ({ key, config: {} })),
    within(texts, (text) => ({ key: 'a', config: { ak: text, vertex_ai_adc: text }, settings: { headers: { a: text } } })),
  ),
  Asker: within(channels, (value) => ({ facts: value, credential: 'a', nowMs: 0, crypto: cryptoFunctions })),
}

function headersOf(list: unknown): [string, string][] {
  return Array.isArray(list) ? list.map((text, index): [string, string] => [`x-${index}`, String(text).replace(/[^\x20-\x7e]/g, '.')]) : []
}

const context = { id: 'a', created: 1_700_000_000, model: 'm' }
const chats = chatDialects.gemini

/** Arguments that nobody outside chooses. */
const own: Readonly<Record<string, ParameterRow>> = {
  ...Object.fromEntries(constants.map((type) => [type, ours(constantOf(type))])),
  ResponseContext: ours(context),
  Target: ours(targetOf({ model: 'm' })),
  "Pick<Target, 'model' | 'outputLimit' | 'searchesMax' | 'rewrites'>": ours(targetOf({ model: 'claude-opus-4-5' })),
  Fitting: ours(targetOf({ model: 'claude-opus-4-5' })),
  Rewrites: { ours: () => new Rewrites() },
  Steps: { ours: () => ({ stepsLeft: 100_000 }) },
  RequestRule: ours(exampleRules[0]),
  'readonly RequestRule[]': ours(exampleRules),
  InstructionPlace: ours('first'),
  "Pick<Vendor, 'group'>": ours(vendorByType(1)),
  "Pick<Target, 'refusal' | 'model' | 'rewrites'>": {
    ours: () => ({ model: 'm', refusal: { ...failure, message: 'Invalid signature in thinking block' }, rewrites: new Rewrites() }),
  },
  TaskContext: ours(taskContext('https://a.example')),
  ModelTraits: {
    ours: ({ file }) => (file.includes('/gemini/') ? traitsOfGemini('gemini-2.5-flash') : traitsOfClaude('claude-sonnet-4-5')),
  },
  MessageContext: ours({ traits: traitsOfGemini('gemini-2.5-flash'), keepsCallIds: true }),
  Holds: ours(() => true),
  Base64Media: inlineFiles('text/csv'),
  ChangeItem: ours((item: object) => ({ ...item })),
  'Usage | null': ours(noUsage),
  Usage: ours(noUsage),
  ChatDialect: ours(chats),
  Dialect: ours(chats),
  "Pick<Dialect, 'failure'>": ours(chats),
  Vendor: ours(vendorByType(24)),
  'FailureRules | undefined': ours(vendorByType(17)?.failures),
  GeminiHost: ours(developerApi),
  VeoHost: ours(geminiApi),
  PriceTerms: ours({ yuanPerDollar: 7, nowMs: 0 }),
  "Pick<SigningContext, 'crypto' | 'nowMs'>": ours({ crypto: cryptoFunctions, nowMs: 0 }),
  "Pick<CryptoFunctions, 'sha256'>": ours(cryptoFunctions),
  'Around | null': ours({ hasTools: true, isMistral: false, hears: true }),
  MessageEnding: ours({ callsTools: false, refuses: false, isStopped: false }),
  Maker: ours('google'),
  ClipNames: ours({ audio: 'audio_url', images: ['image_url'], video: 'video_url' }),
  'Readonly<Record<string, readonly [least: number, most: number]>>': ours({ temperature: [0, 1] }),
  '(message: JsonObject) => JsonObject': ours((message: unknown) => message),
  'readonly ChatFeature[]': ours(['n', 'logprobs']),
  RegExp: ours(/^[a-z]+$/),
  FrameRules: ours({ resolutions: ['720p'], ratios: ['16:9'], name: 'resolution' }),
  FlagRules: ours({ parameters: { resolution: { type: 'choice', values: ['720p'] }, seed: { type: 'text' } }, ratioName: 'ratio' }),
  TaskDialect: ours(doubaoVideos),
  'Size | null': ours({ width: 65_535, height: 1 }),
  FramedModel: ours({ seconds: [5, 10], resolutions: ['720p'], ratios: ['16:9'] }),
  RatioName: ours('ratio'),
  Parameters: ours({ style: { type: 'text' }, frame: { type: 'picture' }, frames: { type: 'pictures', most: 4 } }),
  MessageUsage: ours(noCounts),
  Rows: ours(new Map()),
  "Pick<BodyIndex, 'isCamel'>": ours({ isCamel: true }),
  "{ readonly vendor: Pick<Vendor, 'type'>; readonly baseUrl: string }": within(texts, (baseUrl) => ({ vendor: { type: 8 }, baseUrl })),
  Ids: ours(new Set(['a'])),
  ValuePlace: ours({ place: 'fallbacks', holder: {}, key: 'fallbacks' }),
  ContentIn: ours(() => null),
  ReadingChannel: ours({ vendor: {}, baseUrl: 'http://model.example', settings: { hasContentOfKey: false, allowedMembers: new Set() } }),
  '(model: string) => string': ours((model: unknown) => `${model} at the channel`),
  '(address: string) => boolean': ours(() => true),
  "{ readonly vendor: Pick<Vendor, 'routes'>; readonly baseUrl: string }": within(texts, (baseUrl) => ({
    vendor: { routes: {} },
    baseUrl,
  })),
  "ModelPlace['role']": ours('instead'),
  "ModelPlace['at']": ours('parameters.model'),
  "{ readonly vendor: Pick<Vendor, 'reportsCost'>; readonly baseUrl: string }": within(texts, (baseUrl) => ({ vendor: {}, baseUrl })),
  "Pick<Vendor, 'key' | 'rawProxy'>": ours({ key: { hint: '' } }),
  ...Object.fromEntries(["Pick<Target, 'extras'>", 'PathParts'].map((type) => [type, ours({})])),
  "Pick<Vendor, 'auth' | 'routes'>": ours({ auth: { kind: 'bearer' }, routes: {} }),
  '{ readonly auth: Auth }': ours({ auth: { kind: 'bearer' } }),
  'ChannelFacts & { readonly vendor: Vendor }': ours({ ...facts, vendor: vendorByType(24) }),
  '{ readonly hasOutput: boolean }': ours({ hasOutput: false }),
  Turn: ours({ hasLostThinking: false, forcesTool: false, limit: null }),
  PostedPath: ours('/v1/chat'),
  'Readonly<Record<string, Row>>': ours({ a: 1 }),
  SideInterface: ours({ hosts: /^a\.example$/, path: '/v1', models: /^m/ }),
  Scope: ours({ accessKey: 'a', secretKey: 'a', region: 'a', service: 'a' }),
  Tc3Scope: ours({ secretId: 'a', secretKey: 'a', signed: ['content-type', 'host', 'x-tc-action'] }),
  Parameter: ours({ type: 'picture' }),
  TaskForm: ours({ kind: 'videos', action: 'create' }),
  C: ours({ key: (cell: unknown) => String(cell), name: (cell: unknown) => String(cell) }),
  '(data: string, name?: string) => string': ours((data: string) => data),
  Collected: ours({ usage: noUsage, context }),
  PromptMedia: { ours: () => new PromptMedia('gpt-4o') },
  InlineFile: anyOf(inlineFiles('application/pdf'), inlineFiles('video/mp4'), inlineFiles('text/plain')),
  'UncountedInput | undefined': ours({ least: 1, most: 2 }),
  'DocumentFacts | null': ours({ pdf: { pages: 3, pagesMax: 4, textBytes: { longest: 9, all: 9 } }, seconds: 3 }),
  Mp4Box: within(bytes, boxOf),
  "Pick<Mp4Box, 'view' | 'start' | 'end'>": within(bytes, boxOf),
  'readonly Mp4Box[]': within(bytes, (value) => [boxOf(value), { ...boxOf(value), type: 'moof' }]),
  Mp4Budget: { ours: () => ({ left: 1_000_000 }) },
  MediaMeter: ours({ audioMs: async () => null, documentFacts: async () => null }),
  FileOptions: ours({ vendor: vendorByType(1), form: openaiBatches, channel: facts, pause: () => Promise.resolve() }),
  MessageKey: ours('functions_and_tools'),
  FormKey: ours(Object.keys(formEn)[0]),
  MessageParams: within(texts, (text) => ({ name: text, detail: text })),
}

const uncalled: Readonly<Record<string, ParameterRow>> = Object.fromEntries(
  Object.entries(uncalledTypes).flatMap(([why, types]) => types.map((type) => [type, { none: why }])),
)

/** How an argument of each type is made, by the type as it is written. */
export const parameterTypes: Readonly<Record<string, ParameterRow>> = { ...hostile, ...own, ...uncalled }
