import type { ReplyContext, StreamStep, Usage } from './dialect.ts'
import { isObject } from './is-object.ts'
import type { Json, JsonObject } from './json.ts'
import { believed } from './no-usage.ts'
import { usageObject } from './usage-object.ts'

/** The whole answer of a chat that came as a stream. */
export function collected(
  steps: readonly Pick<StreamStep, 'chunks'>[],
  { usage, context }: { readonly usage: Usage | null; readonly context: Pick<ReplyContext, 'id' | 'created' | 'model'> },
): JsonObject {
  const choices = new Map<number, Choice>()
  for (const { chunks } of steps) for (const chunk of chunks) for (const choice of listIn(chunk['choices'])) add(choices, choice)
  const counted = believed(usage)
  return {
    id: context.id,
    object: 'chat.completion',
    created: context.created,
    model: context.model,
    choices: [...choices].sort(([one], [other]) => one - other).map(([index, choice]) => whole(index, choice)),
    ...(counted === null ? {} : { usage: usageObject(counted) }),
  }
}

interface Choice {
  /** The members of the message but its tool calls. Texts that came in pieces are joined. */
  message: JsonObject
  readonly calls: Map<number, JsonObject>
  reason: Json
  /** Log probabilities of the tokens, in lists that came in pieces. `null` = none came. */
  logprobs: JsonObject | null
  /** The stop sequence that ended it, where that is told. */
  stoppedBy: Json | undefined
}

const listIn = (value: Json | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

function add(choices: Map<number, Choice>, { index, delta, finish_reason: reason, stop_reason: stoppedBy, logprobs }: JsonObject): void {
  const at = typeof index === 'number' ? index : 0
  const choice = choices.get(at) ?? { message: {}, calls: new Map(), reason: null, logprobs: null, stoppedBy: undefined }
  choices.set(at, choice)
  if (typeof reason === 'string') choice.reason = reason
  if (typeof stoppedBy === 'string') choice.stoppedBy = stoppedBy
  if (isObject(logprobs)) choice.logprobs = grown(choice.logprobs ?? {}, logprobs)
  if (!isObject(delta)) return
  const { tool_calls: calls, ...rest } = delta
  choice.message = grown(choice.message, rest)
  for (const call of listIn(calls)) {
    const { index: callIndex, ...piece } = call
    const key = typeof callIndex === 'number' ? callIndex : choice.calls.size
    choice.calls.set(key, grown(choice.calls.get(key) ?? {}, piece))
  }
}

/** Members that are the same in every piece. */
const constant: ReadonlySet<string> = new Set(['role', 'id', 'type', 'name'])

/** Joins texts and lists, and replaces everything else. */
function grown(before: JsonObject, piece: JsonObject): JsonObject {
  const joined = Object.entries(piece).map(([name, value]) => [name, join(name, before[name], value)] as const)
  return { ...before, ...Object.fromEntries(joined) }
}

function join(name: string, before: Json | undefined, value: Json | undefined): Json | undefined {
  if (value === undefined || value === null) return before ?? value
  if (typeof before === 'string' && typeof value === 'string') return constant.has(name) ? value || before : before + value
  if (Array.isArray(before) && Array.isArray(value)) return [...before, ...value]
  return isObject(before) && isObject(value) ? grown(before, value) : value
}

function whole(index: number, { message, calls, reason, logprobs, stoppedBy }: Choice): JsonObject {
  const sorted = [...calls].sort(([one], [other]) => one - other).map(([, call]) => call)
  return {
    index,
    message: {
      role: 'assistant',
      content: null,
      ...message,
      ...(sorted.length === 0 ? {} : { tool_calls: sorted }),
    },
    finish_reason: reason ?? 'stop',
    ...(stoppedBy === undefined ? {} : { stop_reason: stoppedBy }),
    logprobs,
  }
}
