import type { Failure } from '../../core/failure.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { sumOfUsages, withMedia } from '../../core/no-usage.ts'
import type { ClientResponse, ResponseContext } from '../../core/response.ts'
import type { ChatStream, StreamEnd, StreamStep } from '../../core/stream.ts'
import type { Usage } from '../../core/usage.ts'
import { collected } from './chat-collector.ts'
import { chunkWithFunctionCall, withFunctionCall } from './legacy-functions.ts'
import { mediaIn } from './media-usage.ts'

/** What one part of a response adds to a chat. */
export interface Piece {
  /** For the client, in this order. */
  readonly deltas?: readonly JsonObject[]
  /** Log probabilities of its text, in OpenAI's form: a list of tokens. */
  readonly logprobs?: readonly JsonObject[]
  /** The output text in it. */
  readonly text?: string
  /** OpenAI's finish reason. */
  readonly finish?: string
  /** The stop sequence that ended the response; empty: one of them. Sent to clients whose protocol names it. */
  readonly stoppedBy?: string
  readonly failure?: Failure
  readonly isLast?: boolean
}

/** Reads the parts of one response in the order in which they come. */
export interface ResponseReader<Part> {
  take(part: Part): Piece
  end(): StreamEnd
}

/** How the responses of a protocol are read: a whole response is read as the parts of the stream that it could have been. */
interface Reading<Part> {
  readonly create: (context: ResponseContext) => ResponseReader<Part>
  /** `null` = nothing to read. */
  readonly partOf: (data: string, name?: string) => Part | null
  /** `null` = it is no response of the protocol. */
  readonly partsOf: (json: Json) => readonly Part[] | Failure | null
}

const nothing: StreamStep = { chunks: [], text: '', failure: null }

/** `response` and `stream` of a dialect, from one reader. */
export function readingBy<Part>({ create, partOf, partsOf }: Reading<Part>) {
  return {
    stream(context: ResponseContext): ChatStream {
      const reader = create(context)
      const step = stepper(context)
      let media: Usage | null = null
      return {
        event(data, name) {
          const part = partOf(data, name)
          if (part === null) return nothing
          const piece = reader.take(part)
          for (const delta of piece.deltas ?? []) media = sumOfUsages(media, mediaIn(delta))
          return step(piece)
        },
        end() {
          const end = reader.end()
          return { ...end, ...withMedia(end.usage, media) }
        },
      }
    },
    response(json: Json, context: ResponseContext): ClientResponse | Failure | null {
      const parts = partsOf(json)
      if (parts === null || 'kind' in parts) return parts
      const { callsFunctions, ...plain } = context
      const reader = create(plain)
      const step = stepper(plain)
      const steps = parts.map((part) => step(reader.take(part)))
      const failure = steps.find((read) => read.failure !== null)?.failure
      if (failure !== undefined && failure !== null) return failure
      const { usage, complete } = reader.end()
      if (!complete) return null
      const response = withNullContent(collected(steps, { usage, context }))
      return { response: callsFunctions === true ? withFunctionCall(response) : response, usage }
    },
  }
}

/** The role is sent once, before everything else. */
function stepper(context: ResponseContext): (piece: Piece) => StreamStep {
  let hasBegun = false
  return ({ deltas = [], logprobs, text = '', finish, stoppedBy, failure, isLast }) => {
    if (failure !== undefined) return { ...nothing, failure }
    const isFirst = !hasBegun && (deltas.length > 0 || finish !== undefined)
    hasBegun ||= isFirst
    const all = isFirst ? [{ role: 'assistant', content: '' }, ...deltas] : deltas
    const logprobsField = logprobs === undefined ? null : { content: logprobs }
    const chunks = [
      ...all.map((delta, at) => chunkOf(context, delta, { logprobs: at === all.length - 1 ? logprobsField : null })),
      ...(finish === undefined ? [] : [chunkOf(context, {}, { finish, stoppedBy })]),
    ]
    return {
      chunks: context.callsFunctions === true ? chunks.map(chunkWithFunctionCall) : chunks,
      text,
      failure: null,
      ...(isLast === true ? { isLast } : {}),
    }
  }
}

interface ChunkEnd {
  readonly logprobs?: JsonObject | null
  readonly finish?: string
  readonly stoppedBy?: string | undefined
}

function chunkOf(
  { id, created, model, isDetailed }: ResponseContext,
  delta: JsonObject,
  { logprobs = null, finish, stoppedBy }: ChunkEnd,
): JsonObject {
  const stop = isDetailed === true && stoppedBy !== undefined ? { stop_reason: stoppedBy } : {}
  return {
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    choices: [{ index: 0, delta, logprobs, finish_reason: finish ?? null, ...stop }],
  }
}

/** A message that only calls functions has no content. */
function withNullContent(response: JsonObject): JsonObject {
  const [choice] = Array.isArray(response['choices']) ? response['choices'] : []
  const message = isObject(choice) ? choice['message'] : undefined
  if (!isObject(choice) || !isObject(message) || message['content'] !== '' || message['tool_calls'] === undefined) return response
  return { ...response, choices: [{ ...choice, message: { ...message, content: null } }] }
}
