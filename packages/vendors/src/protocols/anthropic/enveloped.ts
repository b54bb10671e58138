import type { ChatDialect, Dialect } from '../../core/dialect.ts'
import type { Failure } from '../../core/failure.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Target } from '../../core/request.ts'
import { withoutToolChanges } from '../messages/tool-changes.ts'
import { withCloudMarks, withFewMarks } from '../rules/cache-marks.ts'
import { anthropic } from './dialect.ts'
import { messageStream, readMessage } from './message-stream.ts'
import { anthropicMessages, betasOf, claudeBody } from './native.ts'

/** How another company's service carries requests in Anthropic's form. */
export interface Envelope {
  /** The path of a call, which names the model. */
  readonly pathOf: (target: Pick<Target, 'model' | 'stream' | 'channel'>) => string
  /** The body names its version instead of a header. */
  readonly version: string
  /** The body says that a stream is requested; otherwise only the path does. */
  readonly namesStream: boolean
  /** The service takes the bytes of images and no addresses. */
  readonly needsImageBytes?: true
  /** Classifies the errors of the service. Missing: they have Anthropic's form. */
  readonly failure?: (status: number, body: string, type?: string) => Failure
  /** Takes the event of Anthropic's stream out of a frame. Missing: the frame is the event. */
  readonly opened?: (data: string, name?: string) => string
  /** Names of beta features that the service knows: it refuses a request that names another. */
  readonly knownBetas?: RegExp
}

/** By which these services know tools that the client finds later; Anthropic's own name of the feature means nothing to them. */
const searchBeta = 'tool-search-tool-2025-10-19'

/** A dialect of chats that has messages in Anthropic's own form, too. */
type WithMessages = ChatDialect & { readonly native: { readonly messages: Dialect } }

/** Anthropic's Messages API behind another service: model and stream are in the path, version and beta features in the body. */
export function enveloped(envelope: Envelope): WithMessages {
  const { pathOf, version, namesStream, needsImageBytes, failure, opened, knownBetas } = envelope
  const { askModels: _list, ...inner } = anthropic
  const takesBytes = needsImageBytes === undefined ? {} : { needsImageBytes }
  return {
    ...inner,
    ...takesBytes,
    native: { messages: { ...messages(), ...takesBytes, failure: failure ?? inner.failure } },
    failure: failure ?? inner.failure,
    request(chat, target) {
      const { body, headers, ...rest } = inner.request(chat, target)
      return {
        ...rest,
        path: pathOf(target),
        headers: withoutOwn(headers),
        body: toEnvelope(withCloudMarks(body, target.rewrites), headers),
      }
    },
    stream(context) {
      const stream = inner.stream(context)
      return opened === undefined ? stream : { ...stream, event: (data, name) => stream.event(opened(data, name)) }
    },
  }

  /** Where the event of Anthropic's stream is not the bytes that come, it is taken out of them and written anew. */
  function messages(): Dialect {
    const { passthrough, askTokens: _none, ...native } = anthropicMessages
    const dialect: Dialect = {
      ...native,
      request(body, target) {
        const betas = betasOf(body, target.clientHeaders).filter((name) => knownBetas === undefined || knownBetas.test(name))
        const named: Readonly<Record<string, string>> = betas.length === 0 ? {} : { 'anthropic-beta': betas.join(',') }
        const native = claudeBody(betas.includes(searchBeta) ? body : withoutToolChanges(body), target)
        const { stream: _asked, ...rest } = withFewMarks(withCloudMarks(native, target.rewrites), target.rewrites)
        return { path: pathOf(target), headers: {}, body: toEnvelope(target.stream ? { ...rest, stream: true } : rest, named) }
      },
    }
    return opened === undefined
      ? { ...dialect, passthrough }
      : { ...dialect, response: readMessage, stream: (context) => messageStream(context, opened) }
  }

  function toEnvelope(
    { model: _inPath, stream, ...rest }: JsonObject,
    { 'anthropic-beta': betas }: Readonly<Record<string, string>>,
  ): JsonObject {
    return {
      anthropic_version: version,
      ...rest,
      ...(betas === undefined ? {} : { anthropic_beta: betas.split(',') }),
      ...(namesStream && stream !== undefined ? { stream } : {}),
    }
  }
}

function withoutOwn(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('anthropic-')))
}
