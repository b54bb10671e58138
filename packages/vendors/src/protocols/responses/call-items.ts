import { textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { type TextSoFar, WrittenOutput } from './written-output.ts'

/** With what it is called so far. */
interface Call extends TextSoFar {
  readonly index: number
  readonly id: Json | undefined
  readonly name: Json | undefined
  readonly isCustom: boolean
}

export const isCall = ({ type }: JsonObject): boolean => type === 'function_call' || type === 'custom_tool_call'

/** The calls of a response as those of a chat, and the reasoning that goes back with them. */
export class CalledItems {
  readonly #written = new WrittenOutput()
  readonly #byPlace = new Map<Json | undefined, Call>()
  readonly #byId = new Map<Json | undefined, Call>()
  /** Those that have come whole. */
  readonly #done = new Set<Call>()
  readonly #known = new Set<string>()
  /** Encrypted reasoning since the last call. It is returned with the next one, because only then does the model continue from it. */
  #reasoning: JsonObject[] = []
  #count = 0

  get count(): number {
    return this.#count
  }

  reasoning({ id, summary = [], encrypted_content: encrypted }: JsonObject): void {
    if (typeof encrypted !== 'string' || this.#known.has(encrypted)) return
    this.#known.add(encrypted)
    this.#reasoning.push({ id, summary, encrypted_content: encrypted })
  }

  /** An item that begins; what it is called with comes later. */
  begin(item: JsonObject, place: Json | undefined): readonly JsonObject[] {
    const { type, call_id: id, name } = item
    const here = this.#byPlace.get(place)
    if (here !== undefined && here.id === id) return []
    const call = { index: this.#count, id, name, isCustom: type === 'custom_tool_call', ...this.#written.begin() }
    this.#count += 1
    this.#byPlace.set(place, call)
    this.#byId.set(id, call)
    const extra = this.#reasoning.length === 0 ? {} : { extra_content: { openai: { reasoning: this.#reasoning } } }
    this.#reasoning = []
    const form = call.isCustom ? { type: 'custom', custom: { name, input: '' } } : { type: 'function', function: { name, arguments: '' } }
    return [{ tool_calls: [{ index: call.index, id, ...form, ...extra }] }]
  }

  piece(text: string, place: Json | undefined): readonly JsonObject[] {
    const call = this.#byPlace.get(place)
    if (call === undefined) return []
    this.#written.grow(call, text)
    return [grown(call, text)]
  }

  /** All that the call at a place is called with. */
  whole(text: string, place: Json | undefined): readonly JsonObject[] {
    const call = this.#byPlace.get(place)
    return call === undefined ? [] : this.#rest(call, text)
  }

  /** An item that is whole: what has not come of it. */
  end(item: JsonObject, place: Json | undefined): readonly JsonObject[] {
    const before = this.#callOf(item, place)
    const begun = before === undefined ? this.begin(item, place) : []
    const call = before ?? this.#byPlace.get(place)
    if (call === undefined) return begun
    this.#done.add(call)
    return [...begun, ...this.#rest(call, call.isCustom ? textOr(item['input'], '') : textOr(item['arguments'], '{}'))]
  }

  /** The calls of the whole response. */
  endAll(output: readonly JsonObject[]): readonly JsonObject[] {
    this.#done.clear()
    return output.flatMap((item, place) => {
      if (item['type'] === 'reasoning') this.reasoning(item)
      return isCall(item) ? this.end(item, place) : []
    })
  }

  /** The call that an item ends: servers may give it another place, or another id, than before. */
  #callOf({ call_id: id, name }: JsonObject, place: Json | undefined): Call | undefined {
    const here = this.#byPlace.get(place)
    if (here !== undefined && here.id === id) return here
    const elsewhere = this.#byId.get(id)
    if (elsewhere !== undefined && !this.#done.has(elsewhere)) return elsewhere
    return here !== undefined && here.name === name && !this.#done.has(here) ? here : undefined
  }

  #rest(call: Call, whole: string): readonly JsonObject[] {
    const rest = this.#written.rest(call, whole)
    return rest === '' ? [] : [grown(call, rest)]
  }
}

const grown = ({ index, isCustom }: Call, text: string): JsonObject => ({
  tool_calls: [isCustom ? { index, custom: { input: text } } : { index, function: { arguments: text } }],
})
