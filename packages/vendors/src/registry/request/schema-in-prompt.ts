import type { Failure } from '../../core/failure.ts'
import { isObject, parseJson } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { excessOf } from '../../core/json-counter.ts'
import type { Kind } from '../../core/kind.ts'
import type { Outgoing } from '../../core/request.ts'
import type { ReferableItem } from '../../core/response.ts'
import { itemsOf } from '../../protocols/responses/referable-items.ts'
import { createSchemaCheck, type SchemaCheck } from '../../protocols/shared/schema-check.ts'
import { schemaWords } from '../../protocols/shared/schema-instruction.ts'
import { outputForms } from './text-in-response.ts'

/**
 * The schema of a chat's output, if the request has it only as text: a model that gets the schema in the prompt may deviate from it, so the
 * response is checked. `undefined` = there is none, or the vendor itself keeps the model to it.
 */
export function findSchemaInPrompt(
  chat: JsonObject,
  { body, messages, unwrapTool }: Pick<Outgoing, 'body' | 'messages' | 'unwrapTool'>,
): JsonObject | undefined {
  const { response_format: format } = chat
  if (!isObject(format) || format['type'] !== 'json_schema' || unwrapTool !== undefined) return undefined
  // The vendor gets the schema in its place: a search through a long request would cost as much as to serialize it.
  if (body['response_format'] === format) return undefined
  const { json_schema: declared } = format
  const schema = isObject(declared) ? declared['schema'] : undefined
  if (!isObject(schema)) return undefined
  return reportsSchema(messages?.join('') ?? JSON.stringify(body), schema) ? schema : undefined
}

/** Most places of a request that are compared with the schema. The instruction is one of the first; others are texts of the client. */
const placesMax = 32

/** Whether an instruction with the schema stands in the texts of serialized JSON. A search for a long schema as such would take seconds. */
function reportsSchema(text: string, schema: JsonObject): boolean {
  const asText = JSON.stringify(JSON.stringify(schema)).slice(1, -1)
  let at = text.indexOf(schemaWords)
  for (let place = 0; at !== -1 && place < placesMax; place += 1) {
    if (text.startsWith(asText, at + schemaWords.length)) return true
    at = text.indexOf(schemaWords, at + schemaWords.length)
  }
  return false
}

/** A whole response of a kind, the schema that it must fit, and the name of the field that the client gave it in. */
interface SchemaRule {
  readonly kind: Kind
  readonly schema: JsonObject
  readonly field: string
}

export interface ConformedResponse {
  readonly response: JsonObject
  /** The parts of it to store, if they are other ones now. */
  readonly items?: readonly ReferableItem[]
}

/**
 * The response, if its content fits the schema: without the block of Markdown around it. A response that calls tools, was refused or cannot be
 * checked within the steps of a check stays as it is.
 */
export function conformToSchema(
  response: JsonObject,
  { kind, schema, field }: SchemaRule,
): ConformedResponse | { readonly failed: Failure } {
  const form = outputForms[kind]
  if (form === undefined) return { response }
  const check = createSchemaCheck(schema)
  const outputs: JsonObject[] = []
  for (const output of form.outputsIn(response)) {
    const content = form.textOf(output)
    const text = content === null ? null : withoutFence(content)
    const place = text === null ? null : placeOf(text, check)
    if (check.isGivenUp) return { response }
    if (place !== null) return { failed: unfit(place, field) }
    outputs.push(text === content || text === null ? output : form.withText(output, text))
  }
  const fit = form.withOutputs(response, outputs)
  return kind === 'responses' ? { response: fit, items: itemsOf(fit) } : { response: fit }
}

const fence = '```'

/** Models like to put JSON into a block of Markdown: the text within a block that is all of the content. */
function withoutFence(content: string): string {
  const text = content.trim()
  if (!text.startsWith(fence) || !text.endsWith(fence) || text.length < 2 * fence.length) return content
  const inside = text.slice(fence.length, -fence.length)
  const body = inside.startsWith('json') ? inside.slice('json'.length) : inside
  const isOnOwnLine = body.slice(0, body.length - body.trimStart().length).includes('\n')
  return isOnOwnLine ? body.trim() : content
}

function placeOf(text: string, check: SchemaCheck): string | null {
  if (excessOf(text) !== null) return check.giveUp()
  const value = parseJson(text)
  return value === undefined ? 'it is no JSON' : check.misfitIn(value)
}

/** Longest place in the message of a failure, in characters: it has names of the model's choice. */
const placeMax = 200

const unfit = (place: string, field: string): Failure => ({
  kind: 'unavailable',
  message: `the model's output does not match the schema of ${field}: ${place.slice(0, placeMax)}`,
  type: null,
  param: field,
  code: 'answer_unfit',
})
