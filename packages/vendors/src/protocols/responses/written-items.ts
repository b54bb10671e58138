import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { PassedEvent } from '../../core/passthrough.ts'
import { runningTokens } from '../../core/running-tokens.ts'
import { outputText } from '../shared/output-text.ts'

/** More items than any response has; of later ones only the deltas count. */
const itemsMax = 10_000

/** Members of an item that its tool brought, which the model reads. */
const results: ReadonlySet<string> = new Set(['output', 'outputs', 'result', 'results', 'tools', 'error'])

/** Members that end a text, in the events whose names end so. */
const wholeTexts = ['text', 'refusal', 'arguments', 'input', 'code'] as const

/** What a stream of a response has written of each item, so that one that comes whole counts, and one that came in deltas does not count twice. */
export class WrittenItems {
  readonly #known = new Set<Json>()

  /** A delta of an item. */
  piece({ item_id: id, output_index: index }: JsonObject, seen: PassedEvent): PassedEvent {
    if (seen.text !== '') this.#note(id ?? index)
    return seen
  }

  /** An event that ends an item, or one of its texts. */
  whole(event: JsonObject, seen: PassedEvent): PassedEvent {
    const { type, item, item_id: id, output_index: index } = event
    if (typeof type !== 'string' || !type.endsWith('.done')) return seen
    if (type !== 'response.output_item.done') return this.#isNew(id ?? index) ? { ...seen, text: textOfEnd(event) } : seen
    if (!isObject(item)) return seen
    const isNew = this.#isNew(item['id'] ?? index) && !this.#known.has(index ?? '')
    return { ...seen, ...(isNew ? { text: writtenIn(item) } : {}), ...readIn(item) }
  }

  #isNew(key: Json | undefined): boolean {
    return this.#known.size < itemsMax && key !== undefined && !this.#known.has(key) && this.#note(key)
  }

  #note(key: Json | undefined): boolean {
    if (key !== undefined && this.#known.size < itemsMax) this.#known.add(key)
    return true
  }
}

const textOfEnd = (event: JsonObject): string => wholeTexts.map((name) => textOr(event[name], '')).join('')

const writtenIn = (item: JsonObject): string => outputText(Object.fromEntries(Object.entries(item).filter(([name]) => !results.has(name))))

/** What its tool brought; an image is no text. */
function readIn(item: JsonObject): Pick<PassedEvent, 'toolTokens'> {
  if (item['type'] === 'image_generation_call') return {}
  const tokens = Object.entries(item).reduce((sum, [name, value]) => (results.has(name) ? sum + runningTokens(outputText(value)) : sum), 0)
  return tokens === 0 ? {} : { toolTokens: tokens }
}
