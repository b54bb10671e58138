import { isObject, parseJson } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { believed } from '../../core/no-usage.ts'
import type { PassedEvent, StreamRepair } from '../../core/passthrough.ts'
import type { ResponseContext } from '../../core/response.ts'
import { usageObject } from '../../core/usage-object.ts'
import { objectsIn } from '../shared/chat-parts.ts'
import { chunkWithFunctionCall, withFunctionCall } from '../shared/legacy-functions.ts'
import { withFirstCall } from '../shared/one-call.ts'
import { finishReasonOf } from './finish-reasons.ts'
import { deltaOf, messageOf, withoutOther } from './normalize-choice.ts'
import { plainMessage } from './normalize-message.ts'
import { repairCall, ToolCallIndexes, wholeCall } from './repair-tool-calls.ts'
import { annotationsOf, hasPages, pagesIn } from './search-results.ts'

/** Members at the top of every chunk; some clients refuse a chunk without them. */
type Head = Readonly<Record<'id' | 'object' | 'created' | 'model', string | number>>

interface ChoiceState {
  hasRole: boolean
  readonly calls: ToolCallIndexes
  /** The index of the first call. */
  firstCall?: Json | undefined
}

/**
 * Adds what servers leave out of a chat's stream and OpenAI's clients need: the head, the role, `index` and `type` of tool calls, a finish
 * reason, and a separate usage chunk. A server leaves the same out of every chunk: if the first one is complete, only later chunks with
 * tool calls, a finish reason or usage are checked.
 */
export function createChatRepair(context: ResponseContext, wantsUsage: boolean): StreamRepair {
  return new ChatRepair(context, wantsUsage)
}

class ChatRepair implements StreamRepair {
  readonly #wantsUsage: boolean
  readonly #choices = new Map<number, ChoiceState>()
  readonly #idBase: string
  readonly #wantsOneCall: boolean
  /** In the form that the client knows. */
  readonly #told: (chunk: JsonObject) => JsonObject
  #head: Head
  /** The first chunk with a choice was checked. */
  #isJudged = false
  /** The first chunk lacked something. */
  #checksAll = false
  #isFinished = false
  #hasSentUsage = false
  /** Usage that came with a choice, to be sent in a separate chunk. */
  #usage: Json | undefined
  /** Pages that the vendor found, cited in the chunk that finishes the response. */
  #pages: readonly JsonObject[] = []

  constructor(context: ResponseContext, wantsUsage: boolean) {
    this.#wantsUsage = wantsUsage
    this.#idBase = context.id
    this.#wantsOneCall = context.oneCall === true
    this.#told = context.callsFunctions === true ? chunkWithFunctionCall : (chunk) => chunk
    this.#head = headOf(context, 'chat.completion.chunk')
  }

  event(event: { readonly data: string | null }, seen: PassedEvent): JsonObject | null {
    const isPlain = seen.callsTools !== true && seen.needsRewrite !== true
    const isUsual = this.#isJudged && !this.#checksAll && isPlain && !seen.finished && seen.usage === null
    if (isUsual || seen.failure !== null) return null
    const chunk = seen.chunk ?? parseJson(event.data ?? '')
    if (!isObject(chunk)) return null
    const repaired = this.#repair(chunk, seen)
    const result = this.#told(repaired ?? chunk)
    return result === chunk ? repaired : result
  }

  end(): readonly JsonObject[] {
    const finish = this.#isFinished ? [] : [...this.#choices].map(([index, { calls }]) => this.#finishChunk(index, calls.count > 0))
    const isUsageMissing = this.#wantsUsage && !this.#hasSentUsage && this.#usage !== undefined
    return isUsageMissing ? [...finish, { ...this.#head, choices: [], usage: this.#usage ?? null }] : finish
  }

  #repair(chunk: JsonObject, { usageOnly, finished, usage: counted }: PassedEvent): JsonObject | null {
    this.#isFinished ||= finished
    const { choices, usage } = chunk
    const trustedUsage = believed(counted)
    if (trustedUsage !== null) this.#usage = isObject(usage) ? usage : usageObject(trustedUsage)
    const missing = missingFieldsOf(chunk, this.#head)
    if (!Array.isArray(choices)) {
      this.#hasSentUsage ||= usageOnly
      return { ...chunk, ...missing, choices: [] }
    }
    if (!this.#isJudged && choices.length > 0) this.#judge(chunk, missing !== null)
    if (usageOnly) {
      this.#hasSentUsage = true
      return missing === null && choices.length === 0 ? null : { ...chunk, ...missing, choices: [] }
    }
    const repaired = this.#cited(
      chunk,
      mapChanged(choices, (choice, place) => this.#choice(choice, place)),
      finished,
    )
    const movesUsage = finished && this.#wantsUsage && trustedUsage !== null && isObject(usage)
    if (missing === null && repaired === choices && !movesUsage) return null
    return { ...chunk, ...missing, choices: repaired, ...(movesUsage ? { usage: null } : {}) }
  }

  /** The choices of a chunk; those of the one that finishes the response with the pages that were found for it. */
  #cited(chunk: JsonObject, choices: readonly Json[], finished: boolean): readonly Json[] {
    const pages = listedPages(chunk)
    if (pages.length > 0) this.#pages = pages
    return finished ? cited(choices, 'delta', this.#pages) : choices
  }

  #judge({ id, object, created, model, choices }: JsonObject, lacksHead: boolean): void {
    this.#isJudged = true
    this.#head = {
      id: typeof id === 'string' ? id : this.#head.id,
      object: typeof object === 'string' ? object : this.#head.object,
      created: typeof created === 'number' ? created : this.#head.created,
      model: typeof model === 'string' ? model : this.#head.model,
    }
    const isWhole =
      Array.isArray(choices) &&
      choices.every((choice) => isObject(choice) && typeof choice['index'] === 'number' && hasRole(choice['delta']))
    this.#checksAll = lacksHead || !isWhole
  }

  #choice(choice: Json, place: number): Json {
    if (!isObject(choice)) return choice
    const { index } = choice
    const at = typeof index === 'number' ? index : place
    const delta = deltaOf(choice)
    const reason = finishReasonOf(choice['finish_reason'])
    const written = delta === undefined ? {} : this.#delta(plainMessage(delta), this.#stateOf(at))
    const newDelta = this.#ended(written, reason, at)
    if (typeof index === 'number' && newDelta === choice['delta'] && reason === choice['finish_reason']) return choice
    return { ...withoutOther(choice, 'delta'), index: at, delta: newDelta, ...(reason === undefined ? {} : { finish_reason: reason }) }
  }

  /**
   * The last delta of a choice. The limit may have cut the arguments of a call, and servers that send a finish reason with each delta of one may
   * send the rest later.
   */
  #ended(delta: JsonObject, reason: Json | undefined, index: number): JsonObject {
    const state = this.#choices.get(index)
    const isEnd = typeof reason === 'string' && reason !== '' && reason !== 'length' && objectsIn(delta['tool_calls']).length === 0
    if (!isEnd || state === undefined || state.calls.count === 0) return delta
    const lacking = state.calls.lacking().filter((piece) => !this.#wantsOneCall || piece['index'] === state.firstCall)
    return lacking.length === 0 ? delta : { ...delta, tool_calls: lacking }
  }

  #delta(delta: JsonObject, state: ChoiceState): JsonObject {
    const { tool_calls: calls } = delta
    const placed = Array.isArray(calls) ? mapChanged(calls, (call) => state.calls.place(call, this.#idBase)) : calls
    const kept = Array.isArray(placed) && placed.includes(null) ? placed.filter((call) => call !== null) : placed
    const newCalls = Array.isArray(kept) && this.#wantsOneCall ? firstCallOf(kept, state) : kept
    const needsRole = !state.hasRole && !hasRole(delta)
    state.hasRole = true
    if (newCalls === calls && !needsRole) return delta
    const { tool_calls: _calls, ...rest } = withoutEmptyRole(delta)
    const hasNone = newCalls === undefined || (newCalls !== calls && Array.isArray(newCalls) && newCalls.length === 0)
    return { ...(needsRole ? { role: 'assistant' } : {}), ...rest, ...(hasNone ? {} : { tool_calls: newCalls }) }
  }

  #stateOf(index: number): ChoiceState {
    const known = this.#choices.get(index)
    if (known !== undefined) return known
    // If the first chunk had a role, so will the first chunk of every other choice.
    const state = { hasRole: this.#isJudged && !this.#checksAll, calls: new ToolCallIndexes() }
    this.#choices.set(index, state)
    return state
  }

  #finishChunk(index: number, hasCalls: boolean): JsonObject {
    const reason = hasCalls ? 'tool_calls' : 'stop'
    return this.#told({ ...this.#head, choices: [{ index, delta: this.#ended({}, reason, index), finish_reason: reason }] })
  }
}

/** Adds what is missing to a whole response. `null` = nothing is missing. */
export function repairResponse(response: JsonObject, context: ResponseContext): JsonObject | null {
  const { choices } = response
  if (!Array.isArray(choices)) return null
  const missing = missingFieldsOf(response, headOf(context, 'chat.completion'))
  const placed = mapChanged(choices, (choice, place) => wholeChoice(choice, place, context))
  const repaired = cited(placed, 'message', listedPages(response))
  const whole = missing === null && repaired === choices ? null : { ...response, ...missing, choices: repaired }
  return context.callsFunctions === true ? withFunctionCall(whole ?? response) : whole
}

/** Pages that a vendor lists beside the choices, or in the first of them. */
function listedPages(body: JsonObject): readonly JsonObject[] {
  const { choices } = body
  const choice = Array.isArray(choices) ? choices.find(isObject) : undefined
  const message = choice?.['message'] ?? choice?.['delta']
  const beside = hasPages(body) ? pagesIn(body) : noPages
  const inside = isObject(message) && hasPages(message) ? pagesIn(message) : noPages
  return inside.length === 0 ? beside : [...beside, ...inside]
}

const noPages: readonly JsonObject[] = []

/** The choices with the pages as annotations of the first one, unless it has some. */
function cited(choices: readonly Json[], member: 'message' | 'delta', pages: readonly JsonObject[]): readonly Json[] {
  const [first, ...others] = choices
  const annotations = pages.length === 0 ? [] : annotationsOf(pages)
  if (annotations.length === 0 || !isObject(first)) return choices
  const message = isObject(first[member]) ? first[member] : {}
  return message['annotations'] === undefined ? [{ ...first, [member]: { ...message, annotations } }, ...others] : choices
}

function wholeChoice(choice: Json, place: number, context: ResponseContext): Json {
  const { id } = context
  if (!isObject(choice)) return choice
  const { index, finish_reason: finishReason } = choice
  const original = messageOf(choice)
  if (original === undefined) return choice
  const message = plainOf(original, context)
  const reason = finishReasonOf(finishReason)
  const { tool_calls: calls, role } = message
  const newCalls = Array.isArray(calls) ? wholeCalls(calls, { id, isCut: reason === 'length' }) : calls
  const isWhole = newCalls === calls && typeof role === 'string' && role !== ''
  const hasReason = typeof reason === 'string' && reason !== ''
  if (isWhole && hasReason && typeof index === 'number' && message === choice['message'] && reason === finishReason) return choice
  return {
    ...withoutOther(choice, 'message'),
    index: typeof index === 'number' ? index : place,
    message: isWhole ? message : { ...message, role: 'assistant', ...(newCalls === undefined ? {} : { tool_calls: newCalls }) },
    finish_reason: hasReason ? reason : Array.isArray(calls) && calls.length > 0 ? 'tool_calls' : 'stop',
  }
}

/** The limit may have cut the arguments of a call, which are no empty object then. */
function wholeCalls(calls: readonly Json[], { id, isCut }: { readonly id: string; readonly isCut: boolean }): readonly Json[] {
  return mapChanged(calls, (call, at) => (isCut ? repairCall : wholeCall)(call, `${id}_${at}`))
}

function plainOf(message: JsonObject, { oneCall }: ResponseContext): JsonObject {
  return oneCall === true ? withFirstCall(plainMessage(message)) : plainMessage(message)
}

function headOf({ id, created, model }: ResponseContext, object: string): Head {
  return { id, object, created, model }
}

/** The members of the head that a response does not have. `null` = it has all of them. */
function missingFieldsOf({ id, object, created, model }: JsonObject, head: Head): JsonObject | null {
  if (typeof object === 'string' && typeof id === 'string' && typeof created === 'number' && typeof model === 'string') return null
  return {
    ...(typeof id === 'string' ? {} : { id: head.id }),
    ...(typeof object === 'string' ? {} : { object: head.object }),
    ...(typeof created === 'number' ? {} : { created: head.created }),
    ...(typeof model === 'string' ? {} : { model: head.model }),
  }
}

/** The deltas of the first call. @returns the list itself if it has no others */
function firstCallOf(pieces: readonly Json[], state: ChoiceState): readonly Json[] {
  const own = pieces.filter((piece) => {
    state.firstCall ??= isObject(piece) ? piece['index'] : undefined
    return isObject(piece) && piece['index'] === state.firstCall
  })
  return own.length === pieces.length ? pieces : own
}

function hasRole(delta: Json | undefined): boolean {
  return isObject(delta) && typeof delta['role'] === 'string' && delta['role'] !== ''
}

function withoutEmptyRole(delta: JsonObject): JsonObject {
  if (!('role' in delta) || hasRole(delta)) return delta
  const { role: _role, ...rest } = delta
  return rest
}

/** Like `map`, but the list itself if no item changes. */
function mapChanged(list: readonly Json[], change: (item: Json, place: number) => Json): readonly Json[] {
  let isSame = true
  const changed: Json[] = []
  for (const item of list) {
    const now = change(item, changed.length)
    isSame &&= now === item
    changed.push(now)
  }
  return isSame ? list : changed
}
