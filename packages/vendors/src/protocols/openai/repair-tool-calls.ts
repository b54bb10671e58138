import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { type CallSoFar, repeatsInput } from '../shared/repeated-calls.ts'

interface OpenCall extends CallSoFar {
  readonly index: number
  readonly isFunction: boolean
}

/**
 * Finds the call that each delta of a choice's tool calls belongs to. Clients join deltas by `index`, which some servers leave out, others repeat for
 * parallel calls, and others count for each delta (github.com/dirac-run/dirac/issues/215, read 2026-11-30).
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

  /**
   * The delta with the index of its call, and in a call's first delta its id and type. Later deltas have neither the id nor the name again, because
   * clients join them as they join arguments. `null` = the delta is the whole call once more, which clients would execute twice.
   * @returns the delta itself if nothing has to change
   */
  place(piece: Json, idBase: string): Json | null {
    if (!isObject(piece)) return piece
    const known = this.#find(piece)
    if (known !== null) return grown(known, piece['index'] === known.index ? piece : { ...piece, index: known.index })
    const before = this.#byId.get(idOf(piece))
    if (before !== undefined && before.name === nameOf(piece) && repeatsInput(before, inputOf(piece))) return null
    return this.#open(piece, idBase)
  }

  /** Pieces of calls with an index each, without those that come again. */
  kept(pieces: readonly JsonObject[], idBase: string): readonly JsonObject[] {
    return pieces.flatMap((piece) => {
      const placed = this.place(piece, idBase)
      return isObject(placed) ? [placed] : []
    })
  }

  /** Pieces for calls of functions that have ended without arguments: clients parse them. */
  lacking(): readonly JsonObject[] {
    const calls = [...this.#byId.values()].filter(({ input, isFunction }) => input === '' && isFunction)
    for (const call of calls) call.input = '{}'
    return calls.map(({ index }) => ({ index, function: { arguments: '{}' } }))
  }

  /** `null` = it begins a call. */
  #find(piece: JsonObject): OpenCall | null {
    const { index } = piece
    const id = idOf(piece)
    const isNamed = nameOf(piece) !== ''
    if (typeof index !== 'number') return (id === '' ? (isNamed ? null : this.#last) : this.#byId.get(id)) ?? null
    const known = this.#byIndex.get(index) ?? (id === '' && !isNamed ? this.#last : null)
    return known !== null && isNamed && isOther(known, piece) ? (this.#byId.get(id) ?? null) : known
  }

  #open(piece: JsonObject, idBase: string): JsonObject {
    const { index: upstreamIndex } = piece
    const index = typeof upstreamIndex === 'number' && upstreamIndex >= this.#next ? upstreamIndex : this.#next
    this.#next = index + 1
    const repaired = repairCall(piece, `${idBase}_${index}`)
    const placed = repaired['index'] === index ? repaired : { ...repaired, index }
    const isFunction = isObject(placed['function'])
    const opened = { index, id: idOf(placed), name: nameOf(placed), input: inputOf(placed), isFunction }
    if (typeof upstreamIndex === 'number') this.#byIndex.set(upstreamIndex, opened)
    this.#byId.set(opened.id, opened)
    this.#last = opened
    return placed
  }
}

/** Whether a delta with a name begins another call under the index of one. A name may also come in several deltas, before the arguments. */
function isOther(known: OpenCall, piece: JsonObject): boolean {
  const id = idOf(piece)
  return id === '' ? nameOf(piece) !== known.name && known.input.endsWith('}') : id !== known.id
}

function grown(call: OpenCall, piece: JsonObject): JsonObject | null {
  const { id, function: called } = piece
  const [input, name] = [inputOf(piece), nameOf(piece)]
  const isSaidAgain = name !== '' && name === call.name
  if (isSaidAgain && repeatsInput(call, input)) return null
  call.input += input
  if (!isSaidAgain) call.name += name
  const { id: _id, ...withoutId } = piece
  const rest = id === undefined ? piece : withoutId
  if (!isSaidAgain || !isObject(called)) return rest
  const { name: _name, ...withoutName } = called
  return { ...rest, function: withoutName }
}

export function repairCall(call: JsonObject, idBase: string): JsonObject
export function repairCall(call: Json, idBase: string): Json
/** A call with an id, a type and arguments as text. @returns the call itself if it has all of them */
export function repairCall(call: Json, idBase: string): Json {
  if (!isObject(call)) return call
  const { type, function: called } = call
  const hasType = typeof type === 'string' && type !== '' && type !== 'null'
  const args = isObject(called) ? called['arguments'] : undefined
  const isText = !isObject(args)
  if (hasType && isText && idOf(call) !== '') return call
  return {
    ...call,
    id: idOf(call) || `call_${idBase.replace(/^[a-z]+[-_]/, '')}`,
    type: hasType ? type : 'function',
    ...(isText || !isObject(called) ? {} : { function: { ...called, arguments: JSON.stringify(args) } }),
  }
}

/** A call of a whole response, whose arguments clients parse. */
export function wholeCall(call: Json, idBase: string): Json {
  const repaired = repairCall(call, idBase)
  const called = isObject(repaired) ? repaired['function'] : undefined
  if (!isObject(repaired) || !isObject(called) || inputOf(repaired) !== '') return repaired
  return { ...repaired, function: { ...called, arguments: '{}' } }
}

function idOf({ id }: JsonObject): string {
  return typeof id === 'string' && id !== 'null' ? id : ''
}

function nameOf({ function: called }: JsonObject): string {
  return isObject(called) && typeof called['name'] === 'string' ? called['name'] : ''
}

/** The concatenated arguments of deltas. */
export function inputsOf(pieces: readonly JsonObject[]): string {
  return pieces.map(inputOf).join('')
}

/** Arguments as text; `repairCall` converts those that come as an object. */
function inputOf({ function: called }: JsonObject): string {
  const args = isObject(called) ? called['arguments'] : undefined
  return isObject(args) ? JSON.stringify(args) : textOr(args, '')
}
