import { isObject } from '../src/core/is-object.ts'
import type { Json, JsonObject } from '../src/core/json.ts'

/**
 * Anthropic's rules for a request (Messages API, "Tool use", "Extended thinking", "Structured outputs", read 2026-11-21),
 * written separately from the code that builds requests. @returns the rules that a body breaks
 */
export function brokenRules(body: JsonObject): readonly string[] {
  const messages = objects(body['messages'])
  return [
    ...(messages.length === 0 ? ['there are no messages'] : []),
    ...messages.flatMap(brokenInMessage),
    ...brokenInOrder(messages),
    ...brokenInTools(messages),
    ...brokenInLimits(body),
    ...brokenInThinking(body, messages),
    ...brokenInFields(body),
    ...brokenInDeclared(body),
    ...brokenByModel(body, messages),
  ]
}

interface Generation {
  readonly model: RegExp
  readonly outputMax: number
  readonly takesPrefill: boolean
  readonly takesSampling: 'each' | 'one' | 'none'
  readonly thinking: readonly string[]
  readonly knowsFormat: boolean
  readonly takesForcedTool?: false
}

const older = { takesPrefill: true, takesSampling: 'each', knowsFormat: false } as const
const newer = { outputMax: 128_000, takesPrefill: false, takesSampling: 'none', knowsFormat: true } as const

/** "Models overview", "Extended thinking", "Adaptive thinking", "Errors: prefill not supported", read 2026-11-21. */
const generations: readonly Generation[] = [
  { ...older, model: /^claude-3-haiku/, outputMax: 4_096, thinking: [] },
  { ...older, model: /^claude-3-5/, outputMax: 8_192, thinking: [] },
  { ...older, model: /^claude-3-7/, outputMax: 64_000, thinking: ['enabled'] },
  { ...older, model: /^claude-opus-4-2025/, outputMax: 32_000, thinking: ['enabled'] },
  { ...older, model: /^claude-\w+-4-5/, outputMax: 64_000, takesSampling: 'one', thinking: ['enabled'], knowsFormat: true },
  { ...newer, model: /^claude-\w+-4-6/, takesSampling: 'one', thinking: ['enabled', 'adaptive'] },
  { ...newer, model: /^claude-opus-4-8/, thinking: ['adaptive'] },
  { ...newer, model: /^claude-sonnet-5-5/, thinking: ['adaptive', 'between_tools'], takesForcedTool: false },
  { ...newer, model: /^claude-opus-5-5/, thinking: ['adaptive'], takesForcedTool: false },
  { ...newer, model: /^claude-sonnet-5/, thinking: ['adaptive', 'disabled'] },
  { ...newer, model: /^claude-fable-5/, thinking: ['adaptive'] },
]

function brokenByModel(body: JsonObject, messages: readonly JsonObject[]): readonly string[] {
  const rules = generations.find(({ model }) => model.test(String(body['model'])))
  if (rules === undefined) return []
  const { thinking, output_config: output } = body
  const thinks = isObject(thinking) ? String(thinking['type']) : null
  const isPrefilled = messages.at(-1)?.['role'] === 'assistant'
  return [
    ...(Number(body['max_tokens']) > rules.outputMax ? ['max_tokens is more than the model writes'] : []),
    ...(isPrefilled && !rules.takesPrefill ? ['the model takes no prefill'] : []),
    ...(isPrefilled && thinks !== null && thinks !== 'disabled' ? ['thinking and a prefill'] : []),
    ...brokenInSampling(body, rules),
    ...(thinks !== null && !rules.thinking.includes(thinks) ? [`the model does not know thinking that is ${thinks}`] : []),
    ...(forcesTool(body) && rules.takesForcedTool === false ? ['the model takes no forced tool'] : []),
    ...(isObject(output) && 'format' in output && !rules.knowsFormat ? ['the model knows no structured output'] : []),
  ]
}

function brokenInSampling(body: JsonObject, { takesSampling }: Generation): readonly string[] {
  const sampling = ['temperature', 'top_p'].filter((field) => field in body)
  return [
    ...(sampling.length > { each: 2, one: 1, none: 0 }[takesSampling] ? [`the model does not take ${sampling}`] : []),
    ...(takesSampling === 'none' && 'top_k' in body ? ['the model does not take top_k'] : []),
  ]
}

function forcesTool({ tool_choice: choice }: JsonObject): boolean {
  return isObject(choice) && (choice['type'] === 'any' || choice['type'] === 'tool')
}

const known = new Set(
  [
    ['model', 'max_tokens', 'messages', 'system', 'stream', 'temperature', 'top_p', 'top_k', 'stop_sequences', 'tools'],
    ['tool_choice', 'thinking', 'output_config', 'metadata', 'service_tier', 'cache_control'],
  ].flat(),
)

function objects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

function blocksOf(message: JsonObject | undefined): readonly JsonObject[] {
  const content = message?.['content']
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objects(content)
}

function ofType(blocks: readonly JsonObject[], type: string): readonly JsonObject[] {
  return blocks.filter((block) => block['type'] === type)
}

const isBlank = (value: Json | undefined): boolean => typeof value !== 'string' || value.trim() === ''

function brokenInMessage(message: JsonObject, index: number): readonly string[] {
  const blocks = blocksOf(message)
  const inner = [...blocks, ...blocks.flatMap(blocksOf)]
  return [
    ...(blocks.length === 0 ? [`message ${index} is empty`] : []),
    ...(ofType(inner, 'text').some((block) => isBlank(block['text'])) ? [`message ${index} has blank text`] : []),
    ...(ofType(inner, 'thinking').some((block) => isBlank(block['signature']))
      ? [`message ${index} has thinking without a signature`]
      : []),
  ]
}

function brokenInOrder(messages: readonly JsonObject[]): readonly string[] {
  const wrong = messages.findIndex((message, index) => message['role'] !== (index % 2 === 0 ? 'user' : 'assistant'))
  const end = blocksOf(messages.at(-1)).at(-1)?.['text']
  const isPrefill = messages.at(-1)?.['role'] === 'assistant' && typeof end === 'string'
  return [
    ...(wrong === -1 ? [] : [`message ${wrong} is not whose turn it is`]),
    ...(isPrefill && end !== end.trimEnd() ? ['the prefill ends in white space'] : []),
  ]
}

function brokenInTools(messages: readonly JsonObject[]): readonly string[] {
  const uses = messages.flatMap((message) => ofType(blocksOf(message), 'tool_use'))
  const ids = uses.map((use) => String(use['id']))
  return [
    ...(ids.every((id) => /^[a-zA-Z0-9_-]+$/.test(id)) ? [] : ['a tool use has an id with other characters']),
    ...(new Set(ids).size === ids.length ? [] : ['two tool uses have one id']),
    ...(uses.every((use) => isObject(use['input'])) ? [] : ['the input of a tool is no object']),
    ...(uses.every((use) => isToolName(use['name'])) ? [] : ['a tool use has a name that is none']),
    ...messages.flatMap((message, index) => brokenInResults(message, messages[index - 1])),
    ...(ofType(blocksOf(messages.at(-1)), 'tool_use').length === 0 ? [] : ['a tool use stands last']),
  ]
}

/** The results of all calls in the turn before come first, each once, and no others. */
function brokenInResults(message: JsonObject, before: JsonObject | undefined): readonly string[] {
  const blocks = blocksOf(message)
  const results = ofType(blocks, 'tool_result').map((block) => String(block['tool_use_id']))
  const callIds = ofType(blocksOf(before), 'tool_use').map((block) => String(block['id']))
  const isFirst = blocks.slice(0, results.length).every((block) => block['type'] === 'tool_result')
  return [
    ...(isFirst ? [] : ['tool results do not come first']),
    ...(results.toSorted().join() === callIds.toSorted().join() ? [] : [`results of ${callIds} are ${results}`]),
  ]
}

function isToolName(name: Json | undefined): boolean {
  return typeof name === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(name)
}

function brokenInLimits({ max_tokens: limit, temperature, top_p: topP, stop_sequences: stops, metadata }: JsonObject): readonly string[] {
  const user = isObject(metadata) ? metadata['user_id'] : undefined
  return [
    ...(Number.isSafeInteger(limit) && Number(limit) >= 1 ? [] : ['max_tokens is no limit']),
    ...(temperature === undefined || (Number(temperature) >= 0 && Number(temperature) <= 1) ? [] : ['temperature is out of range']),
    ...(topP === undefined || (Number(topP) >= 0 && Number(topP) <= 1) ? [] : ['top_p is out of range']),
    ...(Array.isArray(stops) && (stops.length === 0 || stops.some(isBlank)) ? ['a stop sequence is blank'] : []),
    ...(typeof user === 'string' && (user.length > 256 || user.includes('@')) ? ['user_id is long, or tells who the user is'] : []),
  ]
}

function brokenInThinking(body: JsonObject, messages: readonly JsonObject[]): readonly string[] {
  const { thinking, max_tokens: limit } = body
  if (!isObject(thinking) || thinking['type'] === 'disabled') return []
  const budget = thinking['type'] === 'enabled' ? Number(thinking['budget_tokens']) : null
  const responses = ofType(blocksOf(messages.at(-1)), 'tool_result').length > 0
  const first = blocksOf(messages.at(-2))[0]?.['type']
  return [
    ...(budget !== null && !(budget >= 1024 && budget < Number(limit)) ? [`a budget of ${budget} within ${limit}`] : []),
    ...(budget !== null && responses && !/thinking$/.test(String(first)) ? ['thinking goes on after a turn without thinking'] : []),
    ...(forcesTool(body) ? ['thinking and a forced tool'] : []),
    ...['temperature', 'top_p', 'top_k'].filter((field) => field in body).map((field) => `thinking and ${field}`),
  ]
}

function brokenInFields(body: JsonObject): readonly string[] {
  const { system } = body
  const isEmpty = system !== undefined && (typeof system === 'string' ? isBlank(system) : objects(system).length === 0)
  return [
    ...Object.keys(body).filter((field) => !known.has(field)),
    ...Object.entries(body).flatMap(([field, value]) => (value === null || value === undefined ? [`${field} is not given`] : [])),
    ...(isEmpty ? ['system is empty'] : []),
  ]
}

function brokenInDeclared({ tools, tool_choice: choice, output_config: output }: JsonObject): readonly string[] {
  const declared = objects(tools)
  const names = declared.map((tool) => tool['name'])
  const format = isObject(output) && isObject(output['format']) ? output['format']['schema'] : undefined
  const strict = declared.filter((tool) => tool['strict'] === true).map((tool) => tool['input_schema'])
  const isChoiceKnown = !isObject(choice) || choice['type'] !== 'tool' || names.includes(choice['name'])
  return [
    ...(tools !== undefined && declared.length === 0 ? ['the list of tools is empty'] : []),
    ...(new Set(names).size === names.length && names.every(isToolName) ? [] : [`tools are called ${names}`]),
    ...(declared.every(({ input_schema: schema }) => isObject(schema) && schema['type'] === 'object') ? [] : ['a tool takes no object']),
    ...(choice !== undefined && declared.length === 0 ? ['a choice without tools'] : []),
    ...(isChoiceKnown ? [] : ['a tool is chosen that is not there']),
    ...[format, ...strict].flatMap((schema) => (isObject(schema) ? brokenInSchema(schema) : [])),
  ]
}

/** Structured output requires closed objects and refuses limits on numbers and lengths. */
function brokenInSchema(schema: JsonObject): readonly string[] {
  const inner = [schema['items'], ...objects(schema['anyOf']), ...Object.values(isObject(schema['properties']) ? schema['properties'] : {})]
  return [
    ...(schema['type'] === 'object' && schema['additionalProperties'] !== false ? ['an object of a schema is open'] : []),
    ...['minimum', 'maxLength', 'minItems', 'oneOf'].filter((keyword) => keyword in schema).map((keyword) => `a schema says ${keyword}`),
    ...inner.flatMap((part) => (isObject(part) ? brokenInSchema(part) : [])),
  ]
}
