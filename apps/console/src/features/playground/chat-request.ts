import { jsonFault } from '../../ui/json-fault.ts'
import { type Conversation, messagesOf, type Parameters, parametersOf } from './conversation.ts'

export const chatPath = '/v1/chat/completions'

/** What of the parameters cannot be sent, by their names. */
type Fault = 'number' | 'whole' | 'json' | 'list' | 'object'

export type ParameterFaults = Readonly<Partial<Record<keyof Parameters, Fault>>>

/** Numbers as vendors take them; each vendor checks its own range. */
export function faultsOf(parameters: Parameters): ParameterFaults {
  const { maxTokens, seed, tools, schema, format } = parameters
  const faults: Partial<Record<keyof Parameters, Fault>> = {}
  for (const name of ['temperature', 'topP'] as const) if (!isNumber(parameters[name])) faults[name] = 'number'
  for (const name of ['frequencyPenalty', 'presencePenalty'] as const)
    if (!isNumber(parameters[name].trim().replace(/^-/, ''))) faults[name] = 'number'
  if (!/^(?:\d{1,9})?$/.test(seed.trim())) faults.seed = 'whole'
  if (!/^(?:[1-9]\d{0,8})?$/.test(maxTokens.trim())) faults.maxTokens = 'whole'
  const toolFault = jsonFaultOf(tools, Array.isArray, 'list')
  if (toolFault !== null) faults.tools = toolFault
  const schemaFault = format === 'json_schema' ? jsonFaultOf(schema || '""', isObject, 'object') : null
  if (schemaFault !== null) faults.schema = schemaFault
  return faults
}

const isNumber = (text: string): boolean => /^(?:\d{1,6}(?:\.\d*)?|\.\d+)?$/.test(text.trim())

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

function jsonFaultOf(text: string, isRight: (value: unknown) => boolean, fault: 'list' | 'object'): Fault | null {
  if (text.trim() === '') return null
  if (jsonFault(text) !== null) return 'json'
  return isRight(JSON.parse(text)) ? null : fault
}

/** How many parameters of the lanes cannot be sent. */
export function countFaults(conversation: Conversation): number {
  const used = new Set(conversation.models.map((_, lane) => parametersOf(conversation, lane)))
  return [...used].reduce((sum, parameters) => sum + Object.keys(faultsOf(parameters)).length, 0)
}

/** The body of the request for the next response of a lane. Call it only without faults. */
export function bodyOf(conversation: Conversation, lane: number): Readonly<Record<string, unknown>> {
  const parameters = parametersOf(conversation, lane)
  const { temperature, topP, maxTokens, effort, isStreamed, tools, toolChoice } = parameters
  const stop = parameters.stop.split('\n').filter((line) => line !== '')
  return {
    model: conversation.models[lane] ?? '',
    messages: messagesOf(conversation, lane),
    ...number('temperature', temperature),
    ...number('top_p', topP),
    ...number('max_tokens', maxTokens),
    ...number('frequency_penalty', parameters.frequencyPenalty),
    ...number('presence_penalty', parameters.presencePenalty),
    ...number('seed', parameters.seed),
    ...(stop.length > 0 && { stop }),
    ...(effort !== '' && { reasoning_effort: effort }),
    ...(tools.trim() !== '' && { tools: JSON.parse(tools).map(asTool), ...(toolChoice !== '' && { tool_choice: toolChoice }) }),
    ...formatOf(parameters),
    ...(isStreamed && { stream: true, stream_options: { include_usage: true } }),
  }
}

const number = (name: string, text: string) => (text.trim() === '' ? {} : { [name]: Number(text) })

/** A function without the wrapper that the protocol has around it gets one. */
const asTool = (tool: unknown): unknown =>
  isObject(tool) && !Object.hasOwn(Object(tool), 'type') ? { type: 'function', function: tool } : tool

function formatOf({ format, schema }: Parameters): Readonly<Record<string, unknown>> {
  if (format === 'text') return {}
  if (format === 'json_object') return { response_format: { type: format } }
  return { response_format: { type: format, json_schema: { name: 'answer', strict: true, schema: JSON.parse(schema) } } }
}
