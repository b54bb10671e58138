import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'

interface OpenCall {
  readonly index: number
  readonly id: string
}

/**
 * Finds the call that each piece of a choice's tool calls belongs to. Clients join pieces by `index`, which some servers leave out and
 * others repeat for parallel calls.
 */
export class ToolCallIndexes {
  /** Calls by the index that the server gave them. */
  readonly #byIndex = new Map<number, OpenCall>()
  readonly #byId = new Map<string, OpenCall>()
  #last: OpenCall | null = null
  #next = 0

  get count(): number {
    return this.#next
  }

  /** The piece with the index of its call, and in a call's first piece its id and type. @returns the piece itself if it has all of them */
  place(piece: Json, idBase: string): Json {
    if (!isObject(piece)) return piece
    const known = this.#find(piece)
    if (known !== null) return piece['index'] === known.index ? piece : { ...piece, index: known.index }
    return this.#open(piece, idBase)
  }

  /** `null` = it begins a call. */
  #find(piece: JsonObject): OpenCall | null {
    const { index } = piece
    const id = idOf(piece)
    const isNamed = nameOf(piece) !== ''
    if (typeof index !== 'number') return (id === '' ? (isNamed ? null : this.#last) : this.#byId.get(id)) ?? null
    const known = this.#byIndex.get(index) ?? null
    const isOther = known !== null && id !== '' && isNamed && known.id !== id
    return isOther ? (this.#byId.get(id) ?? null) : known
  }

  #open(piece: JsonObject, idBase: string): JsonObject {
    const { index: given } = piece
    const index = typeof given === 'number' && given >= this.#next ? given : this.#next
    this.#next = index + 1
    const repaired = repairCall(piece, `${idBase}_${index}`)
    const placed = repaired['index'] === index ? repaired : { ...repaired, index }
    const opened = { index, id: idOf(placed) }
    if (typeof given === 'number') this.#byIndex.set(given, opened)
    this.#byId.set(opened.id, opened)
    this.#last = opened
    return placed
  }
}

export function repairCall(call: JsonObject, idBase: string): JsonObject
export function repairCall(call: Json, idBase: string): Json
/** A call with an id, a type and arguments as text. @returns the call itself if it has all of them */
export function repairCall(call: Json, idBase: string): Json {
  if (!isObject(call)) return call
  const { type, function: called } = call
  const hasType = typeof type === 'string' && type !== '' && type !== 'null'
  const given = isObject(called) ? called['arguments'] : undefined
  const isText = !isObject(given)
  if (hasType && isText && idOf(call) !== '') return call
  return {
    ...call,
    id: idOf(call) || `call_${idBase.replace(/^[a-z]+[-_]/, '')}`,
    type: hasType ? type : 'function',
    ...(isText || !isObject(called) ? {} : { function: { ...called, arguments: JSON.stringify(given) } }),
  }
}

function idOf({ id }: JsonObject): string {
  return typeof id === 'string' && id !== 'null' ? id : ''
}

function nameOf({ function: called }: JsonObject): string {
  return isObject(called) && typeof called['name'] === 'string' ? called['name'] : ''
}
