import { openaiInputsMax } from '../../core/embedding-inputs.ts'
import { asNumber, isGiven, isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Kind } from '../../core/kind.ts'

/** The member of a body that has the inputs, by kind. */
const memberOf: { readonly [K in Kind]?: string } = { embeddings: 'input', embed: 'requests' }

/** The inputs of a request, where each gets an embedding of its own; `null` = it has none that can be separated. */
export function inputsIn(kind: Kind, body: JsonObject): readonly Json[] | null {
  const inputs = body[memberOf[kind] ?? '']
  if (!Array.isArray(inputs) || inputs.length === 0) return null
  // Objects are parts of one input, except those of Google's batches.
  if (kind === 'embed') return inputs.every(isObject) ? inputs : null
  return inputs.every((input) => typeof input === 'string') || inputs.every(Array.isArray) ? inputs : null
}

/** A request with some of its inputs. */
export function withInputs(kind: Kind, body: JsonObject, inputs: readonly Json[]): JsonObject {
  return { ...body, [memberOf[kind] ?? '']: inputs }
}

/** The lists of token numbers that are the inputs of a request: one list is one input. `null` = they are texts. */
export function tokenListsIn({ input }: JsonObject): ReadonlyArray<readonly number[]> | null {
  if (isTokenList(input)) return [input]
  return Array.isArray(input) && input.length > 0 && input.every(isTokenList) ? input : null
}

const isTokenList = (list: Json | undefined): list is readonly number[] =>
  Array.isArray(list) && list.length > 0 && list.every((token) => typeof token === 'number')

/** The embeddings of a response, in the order of its inputs. `null` = it has not as many. */
export function vectorsIn(kind: Kind, response: Json, count: number): readonly Json[] | null {
  const rows = isObject(response) ? response[kind === 'embed' ? 'embeddings' : 'data'] : undefined
  if (!Array.isArray(rows) || rows.length !== count) return null
  if (kind === 'embed' || rows.every((row) => !isObject(row) || !isGiven(row['index']))) return rows
  const inOrder: Json[] = []
  for (const row of rows) {
    const index = isObject(row) ? row['index'] : undefined
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count || inOrder[index] !== undefined) return null
    inOrder[index] = row
  }
  return inOrder
}

/** The text of some embeddings as they stand in the list of the whole response. @param start how many stand before them */
export function textOfVectors(kind: Kind, rows: readonly Json[], start: number): string {
  const listed = kind === 'embed' ? rows : rows.map((row, at) => (isObject(row) ? { ...row, index: start + at } : row))
  return JSON.stringify(listed).slice(1, -1)
}

/** The text of the whole response. @param response the first part of it @param usages what the parts reported, in the vendor's form */
export function joinedResponse(kind: Kind, response: JsonObject, { vectors, usages }: JoinedParts): string {
  const { data: _rows, embeddings: _list, usage, ...rest } = response
  const usageField = usages.every(isObject) && isObject(usage) ? { usage: sumOf(usage, usages.filter(isObject)) } : {}
  const others = JSON.stringify({ ...rest, ...usageField }).slice(1, -1)
  return `{"${kind === 'embed' ? 'embeddings' : 'data'}":[${vectors.join(',')}]${others === '' ? '' : `,${others}`}}`
}

interface JoinedParts {
  readonly vectors: readonly string[]
  readonly usages: ReadonlyArray<Json | undefined>
}

/** The counts of the first, each summed over all. */
function sumOf(first: JsonObject, all: readonly JsonObject[]): JsonObject {
  const names = Object.keys(first).filter((name) => all.every((usage) => typeof usage[name] === 'number'))
  return { ...first, ...Object.fromEntries(names.map((name) => [name, all.reduce((sum, usage) => sum + asNumber(usage[name]), 0)])) }
}

/** Longest message that is searched, in characters. */
const searchedMax = 2_000

/**
 * How servers say that there were too many inputs, as their users quote them (read 2026-11-30): text-embeddings-inference and what is built on it
 * (Zoo-Code-Org/Zoo-Code 335, apecloud/ApeRAG 716), Model Studio (n4ze3m/page-assist 371), Google (weaviate/weaviate 11275), and older
 * deployments of OpenAI's models.
 */
const tooMany: readonly RegExp[] = [
  /maximum allowed batch size (\d{1,4})\b/i,
  /batch size is invalid, it should not be larger than (\d{1,4})\b/i,
  /at most (\d{1,4}) requests can be in one batch/i,
  /max(?:imum)? number of inputs is (\d{1,4})\b/i,
]

/** The most inputs of a request, by the error of a server; `null` = the error says nothing of that. */
export function inputsMaxIn(message: string): number | null {
  const text = message.slice(0, searchedMax)
  for (const pattern of tooMany) {
    const most = Number(pattern.exec(text)?.[1] ?? 0)
    if (most >= 1 && most <= openaiInputsMax) return most
  }
  return null
}
