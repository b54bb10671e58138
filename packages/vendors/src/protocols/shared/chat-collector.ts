import { ExactNumber } from '../../core/exact-number.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { believed } from '../../core/no-usage.ts'
import type { ResponseContext } from '../../core/response.ts'
import type { StreamStep } from '../../core/stream.ts'
import type { Usage } from '../../core/usage.ts'
import { usageObject } from '../../core/usage-object.ts'
import { objectsIn } from './chat-parts.ts'

interface Collected {
  readonly usage: Usage | null
  readonly context: Pick<ResponseContext, 'id' | 'created' | 'model'>
}

/** Puts the whole response of a chat together that comes as a stream. */
export interface Collector {
  add(chunk: JsonObject): void
  whole(fields: Collected): JsonObject
  /** Number of choices and tool calls so far. */
  readonly parts: number
}

export function createCollector(): Collector {
  const choices = new Map<number, Choice>()
  let calls = 0
  return {
    add({ choices: chunkChoices }) {
      for (const choice of objectsIn(chunkChoices)) calls += add(choices, choice)
    },
    whole({ usage, context }) {
      const counted = believed(usage)
      return {
        id: context.id,
        object: 'chat.completion',
        created: context.created,
        model: context.model,
        choices: [...choices].sort(([one], [other]) => one - other).map(([index, choice]) => whole(index, choice)),
        ...(counted === null ? {} : { usage: usageObject(counted) }),
      }
    },
    get parts() {
      return choices.size + calls
    },
  }
}

/** The whole response of a chat that came as a stream. */
export function collected(steps: readonly Pick<StreamStep, 'chunks'>[], fields: Collected): JsonObject {
  const collector = createCollector()
  for (const { chunks } of steps) for (const chunk of chunks) collector.add(chunk)
  return collector.whole(fields)
}

/** Members that grow in place: to copy what is there for each delta would take the square of their number. */
type Members = Map<string, Member>
type Member = undefined | null | boolean | number | string | ExactNumber | Json[] | Members

interface Choice {
  /** The members of the message but its tool calls. Texts that came in deltas are joined. */
  readonly message: Members
  readonly calls: Map<number, Members>
  reason: Json
  /** Log probabilities of the tokens, in lists that came in deltas. `null` = none came. */
  logprobs: Members | null
  /** The stop sequence that ended it, where that is reported. */
  stoppedBy: Json | undefined
}

/** @returns number of new calls */
function add(choices: Map<number, Choice>, { index, delta, finish_reason: reason, stop_reason: stoppedBy, logprobs }: JsonObject): number {
  const at = typeof index === 'number' ? index : 0
  const choice = choices.get(at) ?? { message: new Map(), calls: new Map(), reason: null, logprobs: null, stoppedBy: undefined }
  choices.set(at, choice)
  if (typeof reason === 'string') choice.reason = reason
  if (typeof stoppedBy === 'string') choice.stoppedBy = stoppedBy
  if (isObject(logprobs)) choice.logprobs = grow(choice.logprobs ?? new Map(), logprobs)
  if (!isObject(delta)) return 0
  const { tool_calls: calls, ...rest } = delta
  grow(choice.message, rest)
  const before = choice.calls.size
  for (const { index: callIndex, ...piece } of objectsIn(calls)) {
    const key = typeof callIndex === 'number' ? callIndex : choice.calls.size
    choice.calls.set(key, grow(choice.calls.get(key) ?? new Map(), piece))
  }
  return choice.calls.size - before
}

/** Members that are the same in every delta. */
const constant: ReadonlySet<string> = new Set(['role', 'id', 'type'])

/** Joins texts and lists, and replaces everything else. @returns the members */
function grow(members: Members, piece: JsonObject): Members {
  for (const [name, value] of Object.entries(piece)) members.set(name, join(name, members.get(name), value))
  return members
}

function join(name: string, before: Member, value: Json | undefined): Member {
  if (value === undefined || value === null) return before ?? value
  if (typeof before === 'string' && typeof value === 'string') return joinedText(name, before, value)
  if (typeof value !== 'object' || value instanceof ExactNumber) return value
  if (isObject(value)) return grow(before instanceof Map ? before : new Map(), value)
  const list = Array.isArray(before) ? before : []
  for (const entry of value) list.push(entry)
  return list
}

/** Names may come in parts, or whole in each delta. */
function joinedText(member: string, before: string, value: string): string {
  if (constant.has(member)) return value || before
  return member === 'name' && value === before ? before : before + value
}

function objectOf(members: Members): JsonObject {
  return Object.fromEntries([...members].map(([name, member]) => [name, member instanceof Map ? objectOf(member) : member]))
}

function whole(index: number, { message, calls, reason, logprobs, stoppedBy }: Choice): JsonObject {
  const sorted = [...calls].sort(([one], [other]) => one - other).map(([, call]) => objectOf(call))
  return {
    index,
    message: {
      role: 'assistant',
      content: null,
      ...objectOf(message),
      ...(sorted.length === 0 ? {} : { tool_calls: sorted }),
    },
    finish_reason: reason ?? 'stop',
    ...(stoppedBy === undefined ? {} : { stop_reason: stoppedBy }),
    logprobs: logprobs === null ? null : objectOf(logprobs),
  }
}
