import { asText } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Vendor, VendorVariant } from '../../core/vendor.ts'
import { anthropic } from '../../protocols/anthropic/dialect.ts'
import { openai } from '../../protocols/openai/dialect.ts'
import { responses } from '../../protocols/responses/native.ts'
import { bedrockAddress, bedrockKeyOf, isMantle } from './channel.ts'
import { bedrockClaude, converse } from './chat.ts'
import { bedrockEmbeddings, bedrockTextsMax } from './embeddings.ts'
import { bedrockImages } from './images.ts'
import { bedrockRerank } from './rerank.ts'
import { signBedrock } from './sign.ts'

const isClaude = (model: string): boolean => /(?:^|[./])(?:anthropic\.)?claude-/.test(model)

/** Models that only the interfaces in OpenAI's form are documented for. */
const isClosedGpt = (model: string): boolean => /(?:^|\.)openai\.gpt-(?!oss)/.test(model)

const makers = [
  [/^claude-/, 'anthropic.'],
  [/^gpt-/, 'openai.'],
] as const

/** Ids of this host begin with the maker of the model. */
function withMaker(body: JsonObject): JsonObject {
  const model = asText(body['model'])
  const maker = makers.find(([name]) => name.test(model))?.[1]
  return maker === undefined ? body : { ...body, model: maker + model }
}

const mantle = {
  dialects: {
    chat: (model) => (isClaude(model) ? anthropic : openai),
    responses: (model) => (isClaude(model) ? null : responses),
  },
  routes: {
    pathFor: (path, { channel }) => (path === '/v1/messages' ? `${new URL(channel.baseUrl).origin}/anthropic/v1/messages` : path),
  },
  chat: { streamUsage: true, lacks: [], patch: withMaker },
  patches: { responses: withMaker, messages: withMaker },
} as const satisfies VendorVariant

/** The tokens of a day are used up (minorun365/agent-book #29, Ivy-Interactive/Ivy-Tendril #1756, read 2026-11-23). */
const ofDay = [[/^too many tokens per day\b/i, 'plan_used_up']] as const

/**
 * Source: Amazon Bedrock user guide and API reference, "Converse", "Supported models", "API keys" and "Inference profiles", stored copies of
 * October and November 2026, read 2026-11-22. Claude is called by InvokeModel in Anthropic's form, every other model by Converse. Names
 * become ids of the service, with the profile of the region where a model needs one; ids and ARNs are sent as they are. Ids of OpenAI's models that are
 * not open (`openai.gpt-...`) are called in OpenAI's protocol at the same host ("Chat Completions API", "Responses API", read 2026-11-23), and so are all
 * models where the base URL is one of `bedrock-mantle`, whose ids have neither region nor version; Claude there speaks Anthropic's. Nova Premier ended on 2026-09-14
 * (its model card, read 2026-11-25), and keeps its price.
 */
export const bedrockVendor: Vendor = {
  type: 33,
  name: 'AWS',
  color: 'orange',
  docs: {
    page: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_Operations.html',
    chat: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html',
    // Stored copy read 2026-11-23: guardrails judge texts, by an identifier of one that the account has made.
    pages: {
      moderation: 'https://docs.aws.amazon.com/bedrock/latest/userguide/guardrails-use.html',
      batches: 'https://docs.aws.amazon.com/bedrock/latest/userguide/batch-inference.html',
      realtime: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithBidirectionalStream.html',
      videos: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_StartAsyncInvoke.html',
    },
    untranslated: ['moderation', 'realtime', 'videos', 'batches'],
  },
  group: 'global',
  dialects: {
    chat: (model) => (isClaude(model) ? bedrockClaude : isClosedGpt(model) ? openai : converse),
    responses: (model) => (isClosedGpt(model) ? responses : null),
    embeddings: bedrockEmbeddings,
    rerank: bedrockRerank,
    images: bedrockImages,
  },
  routes: {
    pathFor: (path) => (path.startsWith('/v1/') ? `/openai${path}` : path),
    baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com',
    addressFor: bedrockAddress,
    errorHeader: 'x-amzn-errortype',
  },
  variant: ({ baseUrl }) => (isMantle(baseUrl) ? mantle : null),
  auth: { signer: signBedrock },
  key: {
    hint: 'ak|sk|region, or API key|region',
    isValid: (key) => bedrockKeyOf({ key, config: {} }) !== null,
    fields: ['ak', 'sk', 'region'],
  },
  configFields: ['region', 'ak', 'sk'],
  embeddingInputs: { most: bedrockTextsMax, isTextOnly: true },
  failures: { ThrottlingException: ofDay, throttlingException: ofDay },
  chat: {
    streamUsage: true,

    // The runtime runs no tools ("Endpoints supported by Amazon Bedrock", a stored copy read 2026-11-22).
    lacks: ['web search'],
  },
  models: {
    names: [
      'claude-opus-5-5',
      'claude-sonnet-5-5',
      'claude-haiku-5-5',
      'claude-fable-5-1',
      'claude-opus-5',
      'claude-sonnet-5',
      'claude-fable-5',
      'claude-opus-4-8',
      'claude-opus-4-7',
      'claude-opus-4-6',
      'claude-sonnet-4-6',
      'claude-opus-4-5-20251101',
      'claude-sonnet-4-5-20250929',
      'claude-haiku-4-5-20251001',
      'amazon-nova-2-lite',
      'amazon-nova-pro',
      'amazon-nova-lite',
      'amazon-nova-micro',
      'llama3-3-70b-128k',
      'llama4-maverick-17b-1m',
      'llama4-scout-17b-3.5m',
      'gpt-oss-20b',
      'qwen3-coder-30b',
      'mistral-large-2402',
      'mistral-pixtral-large-2502',
      'mistral.voxtral-mini-3b-2507',
      'mistral.voxtral-small-24b-2507',
      'palmyra-x5',
      'palmyra-x4',
      'amazon-titan-embed-text-v2',
      'amazon-titan-embed-text',
      'rerank-v3.5',
      'embed-english-v3.0',
      'embed-multilingual-v3.0',
    ],
  },
}
