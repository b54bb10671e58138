import { isObject, lookUp } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { charactersMax, partsMax } from '../shared/response-parts.ts'

/** Of a response whose events have not begun. */
interface UnbegunResponse {
  readonly id: string
  /** Seconds since the epoch. */
  readonly created: number
  readonly model: string
}

interface ResponseError {
  readonly code: string | null
  readonly message: string
}

/** Codes of ours whose meaning OpenAI's clients know by another code ("Error codes", read 2026-11-21). */
const codes: Readonly<Record<string, string>> = { insufficient_user_quota: 'insufficient_quota' }

interface ItemSoFar {
  readonly item: JsonObject
  readonly isDone: boolean
  /** Of a message that is not complete. */
  text: string
}

/** Follows the events of a response, so that one that breaks off can be reported as a failed response, with what there is of it. */
export class ResponseSoFar {
  #response: JsonObject | null = null
  readonly #items = new Map<number, ItemSoFar>()
  #characters = 0

  /** Runs for every event, and most are text deltas. */
  note(event: JsonObject): void {
    const { type } = event
    if (type === 'response.output_text.delta') {
      const { delta } = event
      if (typeof delta === 'string') this.#grow(event['output_index'], delta)
      return
    }
    const isDone = type === 'response.output_item.done'
    if (isDone || type === 'response.output_item.added') {
      const { item } = event
      if (isObject(item)) this.#add(event['output_index'], { item, isDone, text: '' })
      return
    }
    const { response } = event
    if (type === 'response.created' && isObject(response)) this.#response = response
  }

  /** The whole response (OpenAI API reference, "response.failed", read 2026-11-30). */
  failed({ code, message }: ResponseError, { id, created, model }: UnbegunResponse): JsonObject {
    const begun = this.#response ?? {
      id,
      object: 'response',
      created_at: created,
      model,
      incomplete_details: null,
      metadata: {},
      tools: [],
    }
    const output = [...this.#items].sort(([one], [other]) => one - other).map(([, so]) => itemOf(so))
    const error = { code: lookUp(codes, code ?? '') ?? code ?? 'server_error', message }
    return { ...begun, status: 'failed', error, output, usage: null }
  }

  #add(index: Json | undefined, so: ItemSoFar): void {
    if (typeof index === 'number' && this.#items.size < partsMax) this.#items.set(index, so)
  }

  #grow(index: Json | undefined, delta: string): void {
    const so = typeof index === 'number' ? this.#items.get(index) : undefined
    this.#characters += delta.length
    if (so !== undefined && this.#characters <= charactersMax) so.text += delta
  }
}

/** A message that is not complete, with its text so far. */
function itemOf({ item, isDone, text }: ItemSoFar): JsonObject {
  if (isDone) return item
  const content = text === '' ? {} : { content: [{ type: 'output_text', text, annotations: [] }] }
  return { ...item, ...(item['type'] === 'message' ? content : {}), status: 'incomplete' }
}
