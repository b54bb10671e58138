import type { Dialect } from '../../core/dialect.ts'
import { isObject } from '../../core/is-object.ts'
import { noUsage } from '../../core/no-usage.ts'
import { isCount } from '../../core/usage-count.ts'
import { hexSpeechIn, hexSpeechOf } from '../../protocols/media/hex-speech.ts'
import { errorIn, readFailure } from '../../protocols/shared/openai-failure.ts'

/** platform.minimaxi.com, "T2A v2", a stored copy read 2026-11-22. */
export const minimaxSpeech = {
  request(body, { model, stream }) {
    const outgoing = hexSpeechOf(body, stream)
    return { path: '/v1/t2a_v2', headers: {}, ...outgoing, body: { model, ...outgoing.body } }
  },
  failure: readFailure,
  response(json, { echo }) {
    if (!isObject(json)) return null
    const failure = errorIn(json)
    if (failure !== null) return failure
    const { data, extra_info: info } = json
    const counted = isObject(info) ? info['usage_characters'] : null
    return hexSpeechIn(isObject(data) ? data['audio'] : undefined, echo, isCount(counted) ? { ...noUsage, characters: counted } : null)
  },
} satisfies Dialect
