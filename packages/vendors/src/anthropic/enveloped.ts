import type { ChatDialect, Failure, Target } from '../dialect.ts'
import type { JsonObject } from '../json.ts'
import { anthropic } from './dialect.ts'

/** How another company's service carries requests in Anthropic's form. */
export interface Envelope {
  /** The path of a call, which names the model. */
  readonly pathOf: (target: Pick<Target, 'model' | 'stream' | 'channel'>) => string
  /** The body names its version instead of a header. */
  readonly version: string
  /** The body says that a stream is asked for; otherwise only the path does. */
  readonly namesStream: boolean
  /** The service takes the bytes of pictures and no addresses. */
  readonly needsPictureBytes?: true
  /** Classifies the errors of the service. Missing: they have Anthropic's form. */
  readonly failure?: (status: number, body: string, type?: string) => Failure
  /** Takes the event of Anthropic's stream out of a frame. Missing: the frame is the event. */
  readonly opened?: (data: string, name?: string) => string
}

/** Anthropic's Messages API behind another service: model and stream are in the path, version and beta features in the body. */
export function enveloped({ pathOf, version, namesStream, needsPictureBytes, failure, opened }: Envelope): ChatDialect {
  const { askModels: _list, ...inner } = anthropic
  return {
    ...inner,
    ...(needsPictureBytes === undefined ? {} : { needsPictureBytes }),
    failure: failure ?? inner.failure,
    request(chat, target) {
      const { body, headers, ...rest } = inner.request(chat, target)
      return { ...rest, path: pathOf(target), headers: withoutOwn(headers), body: toEnvelope(body, headers) }
    },
    stream(context) {
      const stream = inner.stream(context)
      return opened === undefined ? stream : { ...stream, event: (data, name) => stream.event(opened(data, name)) }
    },
  }

  function toEnvelope(
    { model: _inPath, stream, ...said }: JsonObject,
    { 'anthropic-beta': betas }: Readonly<Record<string, string>>,
  ): JsonObject {
    return {
      anthropic_version: version,
      ...said,
      ...(betas === undefined ? {} : { anthropic_beta: betas.split(',') }),
      ...(namesStream && stream !== undefined ? { stream } : {}),
    }
  }
}

function withoutOwn(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('anthropic-')))
}
