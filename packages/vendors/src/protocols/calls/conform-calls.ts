import type { CallForm } from '../../core/call-form.ts'
import type { ChatDialect } from '../../core/dialect.ts'
import { isObject, parseJson } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Passthrough, StreamRepair } from '../../core/passthrough.ts'
import type { Target } from '../../core/request.ts'
import type { ChatStream } from '../../core/stream.ts'
import { isOpenAIForm } from '../shared/supports-extra.ts'
import { anyIds, withChatIds } from './call-ids.ts'
import { withFunctionCalls } from './custom-calls.ts'
import { withoutEmptyCalls, withoutIdleChoice } from './tool-members.ts'
import { acceptedNames, withAcceptedNames, withClientNames } from './tool-names.ts'
import { anySchemas, withPlainSchemas } from './tool-schemas.ts'

/**
 * A dialect whose tools and calls are in a form that the vendor takes: names, ids, schemas, and no choice without tools. The client gets its own names
 * back. A channel can switch each of it off.
 * @param form of a dialect that only one vendor has; of OpenAI's form the vendor's record says it (`VendorChat.calls`)
 */
export function fittingCalls<D extends ChatDialect>(dialect: D, form: CallForm = {}): D {
  const { passthrough } = dialect
  return {
    ...dialect,
    request(chat, target) {
      const { chat: upstreamChat, changed } = fitted(
        isOpenAIForm(dialect) ? chat : withFunctionCalls(chat),
        { ...target.calls, ...form },
        target,
      )
      const outgoing = dialect.request(upstreamChat, target)
      return changed === null ? outgoing : { ...outgoing, toolNames: { ...outgoing.toolNames, ...changed } }
    },
    response(json, context) {
      const read = dialect.response(json, context)
      if (context.toolNames === undefined || read === null || 'kind' in read) return read
      return { ...read, response: withClientNames(read.response, context.toolNames) }
    },
    stream: (context) =>
      context.toolNames === undefined ? dialect.stream(context) : renamedStream(dialect.stream(context), context.toolNames),
    ...(passthrough === undefined ? {} : { passthrough: renamedBytes(passthrough) }),
  }
}

/** Sent name -> the client's name. */
type Names = Readonly<Record<string, string>>

interface Fitted {
  readonly chat: JsonObject
  readonly changed: Names | null
}

function fitted(chat: JsonObject, { names = acceptedNames, ids = anyIds, schemas = anySchemas }: CallForm, { rewrites }: Target): Fitted {
  const chosen = withoutEmptyCalls(withoutIdleChoice(chat, rewrites), rewrites)
  const typed = withPlainSchemas(chosen, { place: 'chat', form: schemas, rewrites })
  const { messages } = typed
  const turns = Array.isArray(messages) ? withChatIds(messages, ids, rewrites) : messages
  const whole = turns === messages || turns === undefined ? typed : { ...typed, messages: turns }
  const named = rewrites.may('tool_names') ? withAcceptedNames(whole, names) : null
  return named === null ? { chat: whole, changed: null } : { chat: named.chat, changed: named.changed }
}

function renamedStream(inner: ChatStream, names: Names): ChatStream {
  return {
    ...inner,
    event(data, name) {
      const step = inner.event(data, name)
      return { ...step, chunks: step.chunks.map((chunk) => withClientNames(chunk, names)) }
    },
  }
}

/** The bytes of a response are passed on as they came but for events with such a name. */
function renamedBytes(passthrough: Passthrough): Passthrough {
  const { repair, repairResponse } = passthrough
  return {
    ...passthrough,
    ...(repair === undefined
      ? {}
      : {
          repair: (context, wantsUsage) =>
            context.toolNames === undefined ? repair(context, wantsUsage) : renamedRepair(repair(context, wantsUsage), context.toolNames),
        }),
    repairResponse(response, context) {
      const repaired = repairResponse?.(response, context) ?? null
      if (context.toolNames === undefined) return repaired
      const renamed = withClientNames(repaired ?? response, context.toolNames)
      return renamed === response ? null : renamed
    },
  }
}

function renamedRepair(inner: StreamRepair, names: Names): StreamRepair {
  return {
    event(event, seen) {
      const repaired = inner.event(event, seen)
      const chunk = repaired ?? seen.chunk ?? parseJson(event.data ?? '')
      if (!isObject(chunk)) return repaired
      const renamed = withClientNames(chunk, names)
      return renamed === chunk ? repaired : renamed
    },
    end: () => inner.end().map((chunk) => withClientNames(chunk, names)),
  }
}
