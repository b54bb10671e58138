import { lookUp } from '../../core/is-object.ts'

/**
 * How a model is reached: by its own id, by the profile of the region's part of the world, or by the profile of all regions, which costs
 * less ("Supported regions and models for inference profiles", stored copies read 2026-11-22).
 */
type Reach = 'direct' | 'regional' | 'global'

/** The ids of models that have another name here; those of Claude follow rules. */
const ids: Readonly<Record<string, readonly [Reach, string]>> = {
  'amazon-nova-2-lite': ['global', 'amazon.nova-2-lite-v1:0'],
  'amazon-nova-lite': ['regional', 'amazon.nova-lite-v1:0'],
  'amazon-nova-micro': ['regional', 'amazon.nova-micro-v1:0'],
  'amazon-nova-premier': ['regional', 'amazon.nova-premier-v1:0'],
  'amazon-nova-pro': ['regional', 'amazon.nova-pro-v1:0'],
  'amazon-nova-2-multimodal-embeddings': ['direct', 'amazon.nova-2-multimodal-embeddings-v1:0'],
  'amazon-rerank-v1': ['direct', 'amazon.rerank-v1:0'],
  'amazon-titan-embed-text': ['direct', 'amazon.titan-embed-text-v1'],
  'amazon-titan-embed-text-v2': ['direct', 'amazon.titan-embed-text-v2:0'],
  'embed-english-v3.0': ['direct', 'cohere.embed-english-v3'],
  'embed-multilingual-v3.0': ['direct', 'cohere.embed-multilingual-v3'],
  'gpt-oss-20b': ['direct', 'openai.gpt-oss-20b-1:0'],
  'gpt-oss-120b': ['direct', 'openai.gpt-oss-120b-1:0'],
  'llama3-3-70b-128k': ['regional', 'meta.llama3-3-70b-instruct-v1:0'],
  'llama4-maverick-17b-1m': ['regional', 'meta.llama4-maverick-17b-instruct-v1:0'],
  'llama4-scout-17b-3.5m': ['regional', 'meta.llama4-scout-17b-instruct-v1:0'],
  'mistral-large-2402': ['direct', 'mistral.mistral-large-2402-v1:0'],
  'mistral-pixtral-large-2502': ['regional', 'mistral.pixtral-large-2502-v1:0'],
  'palmyra-x4': ['regional', 'writer.palmyra-x4-v1:0'],
  'palmyra-x5': ['regional', 'writer.palmyra-x5-v1:0'],
  'rerank-v3.5': ['direct', 'cohere.rerank-v3-5:0'],
  'sd3.5-large': ['direct', 'stability.sd3-5-large-v1:0'],
  'stable-image-core': ['direct', 'stability.stable-image-core-v1:1'],
  'stable-image-ultra': ['direct', 'stability.stable-image-ultra-v1:1'],
  'qwen3-235b': ['direct', 'qwen.qwen3-235b-a22b-2507-v1:0'],
  'qwen3-coder-30b': ['direct', 'qwen.qwen3-coder-30b-a3b-v1:0'],
}

/** Claude's ids: those of a version without `-v1:0`, and the releases that Anthropic's names without a date mean. */
const claudes: ReadonlyArray<readonly [RegExp, (name: string) => string]> = [
  [/^claude-3-5-sonnet-20241022$/, (name) => `${name}-v2:0`],
  [/^claude-opus-4-6$/, (name) => `${name}-v1`],
  [/^claude-haiku-4-5$/, () => 'claude-haiku-4-5-20251001-v1:0'],
  [/^claude-sonnet-4-5$/, () => 'claude-sonnet-4-5-20250929-v1:0'],
  [/^claude-opus-4-5$/, () => 'claude-opus-4-5-20251101-v1:0'],
  [/^claude-opus-4-1$/, () => 'claude-opus-4-1-20250805-v1:0'],
  [/^claude-instant-1/, () => 'claude-instant-v1'],
  [/^claude-2\.(?:0)$/, () => 'claude-v2'],
  [/^claude-2/, () => 'claude-v2:1'],
  [/-\d{8}$/, (name) => `${name}-v1:0`],
]

/** An id of the service, an inference profile or an ARN is sent as it is. */
const isId = /^(?:arn:|(?:us|eu|apac|jp|au|ca|us-gov|global)\.|[a-z0-9]+\.[a-z])/

/** The id of a model in a region. */
export function bedrockIdOf(model: string, region: string): string {
  if (isId.test(model) && !model.startsWith('claude-')) return model
  if (model.startsWith('claude-')) return withReach(reachOfClaude(model), `anthropic.${claudeIdOf(model)}`, region)
  const [reach, id] = lookUp(ids, model) ?? ['direct' as const, model]
  return withReach(reach, id, region)
}

function claudeIdOf(name: string): string {
  return claudes.find(([pattern]) => pattern.test(name))?.[1](name) ?? name
}

function reachOfClaude(name: string): Reach {
  if (/^claude-(?:2|instant|3-(?:haiku|sonnet|opus)|3-5)/.test(name)) return 'direct'
  return /^claude-(?:3-7|(?:opus|sonnet)-4(?:-[01](?!\d)|-\d{8}|$))/.test(name) ? 'regional' : 'global'
}

/** The prefixes of profiles by the beginning of a region's name; `ap` stands for all of Asia. */
function withReach(reach: Reach, id: string, region: string): string {
  if (reach === 'direct' || region.startsWith('cn-')) return id
  if (region.startsWith('us-gov-')) return `us-gov.${id}`
  if (reach === 'global') return `global.${id}`
  const prefix = region.startsWith('eu-') ? 'eu' : region.startsWith('ap-') ? 'apac' : 'us'
  return `${prefix}.${id}`
}

/** Models whose documentation has no forced tools ("ToolChoice", a stored copy read 2026-11-22: Claude, Mistral Large and Nova have). */
const neverForced = /(?:meta\.|llama|ai21\.|jamba|titan|cohere\.|command)/

export function takesForcedTool(id: string): boolean {
  return !neverForced.test(id)
}

/** Makers whose models keep to the schema of a tool ("Structured outputs", a stored copy read 2026-11-23); Nova, Llama and Palmyra are not among them. */
const strict = /qwen3|gpt-oss|\.v3[.-]|gemma|-m2(?:\.\d)?$|kimi|nemotron|mistral-large-3|magistral|ministral/

export function takesStrictTools(id: string): boolean {
  return strict.test(id)
}

/** Those that have explicit cache breakpoints; others refuse them ("Prompt caching", read 2026-11-29). */
export function takesMarks(id: string): boolean {
  return /nova|claude/.test(id)
}

/** Voxtral and Nova 2 Omni. Others would refuse the request ("Converse", a stored copy read 2026-11-25). */
export function takesAudio(id: string): boolean {
  return /voxtral|omni/.test(id)
}
