import type { Failure, FailureKind } from '../../core/failure.ts'
import { kindOfResponse, messageOr, plainMessage } from '../../core/failure-parts.ts'
import { isObject, lookUp, parseJson, textOr } from '../../core/is-object.ts'
import type { Json } from '../../core/json.ts'

/**
 * The exceptions of the runtime (Amazon Bedrock API reference, "Common errors" and the errors of Converse, a stored copy read
 * 2026-11-22). In streams their names begin with a small letter.
 */
const kinds: Readonly<Record<string, FailureKind>> = {
  validationexception: 'bad_request',
  accessdeniedexception: 'forbidden',
  unrecognizedclientexception: 'bad_key',
  invalidsignatureexception: 'bad_key',
  incompletesignatureexception: 'bad_key',
  // Hosts of the cloud respond like this to a path that they do not have, whatever the key is.
  missingauthenticationtokenexception: 'forbidden',
  expiredtokenexception: 'bad_key',
  resourcenotfoundexception: 'model_not_found',
  throttlingexception: 'rate_limited',
  modelnotreadyexception: 'rate_limited',
  // A quota of the account or the region, not money.
  servicequotaexceededexception: 'rate_limited',
  modeltimeoutexception: 'unavailable',
  modelerrorexception: 'unavailable',
  modelstreamerrorexception: 'unavailable',
  internalserverexception: 'unavailable',
  serviceunavailableexception: 'unavailable',
}

/** Texts that say more than the exception. */
const texts: ReadonlyArray<readonly [RegExp, FailureKind]> = [
  // Its clock or ours is wrong; the key is not.
  [/signature (?:expired|not yet current)/i, 'unavailable'],
  [
    /(?:api key|bearer token)\b.{0,40}\b(?:valid|invalid|expired)|invalid (?:api key|bearer token)|security token included in the request is (?:invalid|expired)|signature we calculated does not match/i,
    'bad_key',
  ],
  [/on-demand throughput isn.t supported|model identifier is invalid|isn.t supported on this route|end of its life/i, 'model_not_found'],
]

const isTooLong =
  /input is too long|too many (?:input )?tokens|prompt is too long|exceeds? (?:the )?(?:model.s )?(?:maximum )?context|maximum (?:context|number of (?:input )?tokens)/i

/** @param exception the name that the response has in a header, or that an event of a stream has */
export function readBedrockFailure(status: number, body: string, exception?: string): Failure {
  const json = parseJson(body)
  const type = nameOf(exception ?? (isObject(json) ? textOr(json['__type'], '') : ''))
  const message = messageOr(
    isObject(json) && typeof json['Message'] === 'string' ? { message: json['Message'] } : json,
    plainMessage(status, body),
  )
  return toFailure(type, message, kindOfResponse(status, json))
}

/** An exception within a stream. */
export function failureOf(exception: string, json: Json | undefined): Failure {
  return toFailure(nameOf(exception), messageOr(json, 'the upstream service reported an error'), 'unavailable')
}

function toFailure(type: string, message: string, fallback: FailureKind): Failure {
  const named = lookUp(kinds, type.toLowerCase())
  const kindOfText = texts.find(([pattern]) => pattern.test(message))?.[1]
  // A refused request may quote words of the client.
  const kind = (kindOfText === 'bad_key' && named === 'bad_request' ? undefined : kindOfText) ?? named ?? fallback
  const isContext = kind === 'bad_request' && isTooLong.test(message)
  return {
    kind,
    message,
    type: type === '' ? null : type,
    param: isContext ? 'messages' : null,
    code: isContext ? 'context_length_exceeded' : null,
  }
}

/** `ValidationException:http://...` and `com.amazon#ValidationException` are the same name. */
function nameOf(text: string): string {
  return (text.split('#').at(-1) ?? '').split(':')[0] ?? ''
}
