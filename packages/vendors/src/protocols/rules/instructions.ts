import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { textOfContent } from '../shared/chat-parts.ts'

/** Where a server takes instructions: as the first message, or in a turn of the user. */
export type InstructionPlace = 'first' | 'user'

const isInstruction = (message: Json): message is JsonObject =>
  isObject(message) && (message['role'] === 'system' || message['role'] === 'developer')

/**
 * A chat whose instructions all stand at its beginning, in one message, or in turns of the user where they came later: never between calls and
 * their results. What is sent of the messages so far does not depend on later ones, so that the vendor's cache finds it again.
 */
export function withInstructionsAt(messages: readonly Json[], place: InstructionPlace): readonly Json[] {
  const isFirst = messages.findIndex((message) => !isInstruction(message))
  const firstOther = isFirst === -1 ? messages.length : isFirst
  const leading = messages.slice(0, firstOther).filter(isInstruction)
  const later = messages.slice(firstOther)
  const isRight =
    leading.length <= (place === 'first' ? 1 : 0) && leading.every(({ role }) => role === 'system') && !later.some(isInstruction)
  if (isRight) return messages
  const content = leading.length === 0 ? null : joined(leading.map((message) => message['content']))
  const begun: readonly Json[] = content === null ? [] : [{ role: place === 'first' ? 'system' : 'user', content }]
  return withTurns(begun, later)
}

function withTurns(begun: readonly Json[], later: readonly Json[]): readonly Json[] {
  const turns = new Turns(begun)
  let held: JsonObject[] = []
  /** Calls of the last message of the model that have no result yet. */
  let open = 0
  for (const message of later) {
    if (isInstruction(message)) {
      held.push({ role: 'user', content: message['content'] ?? '' })
    } else {
      const isResult = isObject(message) && message['role'] === 'tool'
      if (!isResult) {
        turns.instruct(held)
        held = []
      }
      turns.add(message)
      open = isResult ? open - 1 : callsOf(message)
    }
    if (open > 0) continue
    turns.instruct(held)
    held = []
  }
  turns.instruct(held)
  return turns.all
}

const callsOf = (message: Json): number => (isObject(message) && Array.isArray(message['tool_calls']) ? message['tool_calls'].length : 0)

const isUser = (message: Json | undefined): message is JsonObject => isObject(message) && message['role'] === 'user'

/** Turns of a conversation; some templates want those of user and model to alternate, so instructions share a turn with what the user says. */
class Turns {
  readonly all: Json[]
  /** The last turn has instructions. */
  #isOpen: boolean

  constructor(begun: readonly Json[]) {
    this.all = [...begun]
    this.#isOpen = begun.some(isUser)
  }

  instruct(instructions: readonly JsonObject[]): void {
    for (const turn of instructions) this.#push(turn, isUser(this.all.at(-1)))
    this.#isOpen ||= instructions.length > 0
  }

  add(message: Json): void {
    this.#isOpen = this.#push(message, this.#isOpen && isUser(message) && isUser(this.all.at(-1)))
  }

  /** @returns whether it joined the last turn */
  #push(turn: Json, joins: boolean): boolean {
    const last = this.all.at(-1)
    if (!joins || !isUser(last) || !isUser(turn)) {
      this.all.push(turn)
      return false
    }
    this.all[this.all.length - 1] = { ...last, content: joined([last['content'], turn['content']]) }
    return true
  }
}

/** Texts become one text; with other parts, all become a list of parts. */
function joined(contents: ReadonlyArray<Json | undefined>): Json {
  if (contents.every((content) => typeof content === 'string' || isOnlyText(content))) return contents.map(textOfContent).join('\n\n')
  return contents.flatMap((content) => (Array.isArray(content) ? content : [{ type: 'text', text: textOfContent(content) }]))
}

/** Marks of a cache are kept on their part. */
function isOnlyText(content: Json | undefined): boolean {
  return Array.isArray(content) && content.every((part) => isObject(part) && part['type'] === 'text' && part['cache_control'] === undefined)
}

/**
 * Messages in Anthropic's form whose instructions in the middle are turns of the user, which Claude reads as one with their neighbours. The results
 * of calls stay right behind them.
 */
export function withUserInstructions(messages: readonly Json[]): readonly Json[] {
  if (!messages.some(isInstruction)) return messages
  const turns: Json[] = []
  let held: Json[] = []
  let isOpen = false
  for (const message of messages) {
    if (isInstruction(message)) {
      held.push({ ...message, role: 'user' })
    } else {
      turns.push(message)
      isOpen = isObject(message) && message['role'] === 'assistant' && hasCalls(message)
    }
    if (isOpen) continue
    for (const turn of held) turns.push(turn)
    held = []
  }
  return [...turns, ...held]
}

const hasCalls = ({ content }: JsonObject): boolean =>
  Array.isArray(content) && content.some((block) => isObject(block) && block['type'] === 'tool_use')
