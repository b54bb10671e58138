import { isGiven, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectsIn } from '../shared/chat-parts.ts'

/** Messages of the model that become one, and the results of its calls. */
interface Turn {
  readonly messages: JsonObject[]
  readonly results: JsonObject[]
  /** Calls whose results follow. */
  readonly open: Set<string>
}

/**
 * A chat whose results follow the message with their calls, because vendors refuse anything between them. Other protocols have texts, further
 * calls and words of the user there: what the model says before the results becomes one message with its calls, the rest follows the results.
 */
export function withResultsNext(messages: readonly JsonObject[]): readonly JsonObject[] {
  if (areNext(messages)) return messages
  const turns = new Turns(messages)
  for (const message of messages) turns.read(message)
  return turns.messages
}

const idOf = ({ tool_call_id: id }: JsonObject): string => textOr(id, '')
const callIds = ({ tool_calls: calls }: JsonObject): readonly string[] => objectsIn(calls).map(({ id }) => textOr(id, ''))
const isResult = ({ role }: JsonObject): boolean => role === 'tool'

/** Whether each result follows its call, with nothing but results between them. */
function areNext(messages: readonly JsonObject[]): boolean {
  let last: JsonObject | undefined
  let calls: ReadonlySet<string> | undefined
  for (const message of messages) {
    if (!isResult(message)) {
      last = message
      calls = undefined
      continue
    }
    calls ??= new Set(last === undefined ? [] : callIds(last))
    if (!calls.has(idOf(message))) return false
  }
  return true
}

class Turns {
  readonly #turns: Turn[] = []
  /** Results that are not read yet, by the ids of their calls. */
  readonly #coming = new Map<string, number>()
  /** The last turn that waits for the result of a call. */
  readonly #waiting = new Map<string, Turn>()

  constructor(messages: readonly JsonObject[]) {
    for (const message of messages) if (isResult(message)) this.#count(idOf(message), 1)
  }

  get messages(): readonly JsonObject[] {
    return this.#turns.flatMap(({ messages, results }) => [...merged(messages), ...results])
  }

  read(message: JsonObject): void {
    if (isResult(message)) this.#result(message)
    else this.#said(message)
  }

  #result(message: JsonObject): void {
    const id = idOf(message)
    this.#count(id, -1)
    const turn = this.#waiting.get(id)
    this.#waiting.delete(id)
    turn?.open.delete(id)
    if (turn === undefined) this.#turns.push({ messages: [], results: [message], open: new Set() })
    else turn.results.push(message)
  }

  #said(message: JsonObject): void {
    const last = this.#turns.at(-1)
    const joins = message['role'] === 'assistant' && last !== undefined && last.open.size > 0 && last.messages[0]?.['role'] === 'assistant'
    const turn: Turn = joins ? last : { messages: [], results: [], open: new Set() }
    if (!joins) this.#turns.push(turn)
    turn.messages.push(message)
    for (const id of callIds(message)) {
      if ((this.#coming.get(id) ?? 0) === 0) continue
      turn.open.add(id)
      this.#waiting.set(id, turn)
    }
  }

  #count(id: string, by: number): void {
    this.#coming.set(id, (this.#coming.get(id) ?? 0) + by)
  }
}

function merged(messages: readonly JsonObject[]): readonly JsonObject[] {
  const [first] = messages
  if (first === undefined || messages.length === 1) return messages
  const listOf = (name: string): readonly JsonObject[] => messages.flatMap((message) => objectsIn(message[name]))
  const lists = ['tool_calls', 'thinking_blocks', 'images']
    .map((name) => [name, listOf(name)] as const)
    .filter(([, list]) => list.length > 0)
  const reasoning = messages.map(({ reasoning_content: text }) => textOr(text, '')).join('')
  const extra = messages.findLast(({ extra_content: value }) => isGiven(value))?.['extra_content']
  return [
    {
      ...first,
      content: joined(messages.map(({ content }) => content ?? '').filter((content) => content !== '')),
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...Object.fromEntries(lists),
      ...(extra === undefined ? {} : { extra_content: extra }),
    },
  ]
}

/** Texts as one text, with a blank line between them; with parts, they are parts. */
function joined(contents: readonly Json[]): Json {
  if (contents.length === 0) return null
  if (contents.every((content) => typeof content === 'string')) return contents.join('\n\n')
  return contents.flatMap((content): readonly Json[] => (Array.isArray(content) ? content : [{ type: 'text', text: content }]))
}
