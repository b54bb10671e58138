import type { Dialect } from '../../core/dialect.ts'
import { asNumber, isObject, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { noUsage } from '../../core/no-usage.ts'
import { objectsIn } from '../../protocols/shared/chat-parts.ts'
import { readFailure } from '../../protocols/shared/openai-failure.ts'
import { failureIn } from './header-failure.ts'
import { appIdOf, postedAddress } from './hosts.ts'

const promptMax = 1_000
const usual = '512x512'
const sizes: readonly string[] = [
  ...[usual, '640x360', '640x480', '640x640', '680x512', '512x680', '768x768', '720x1280', '1280x720', '1024x1024'],
]

/** xfyun.cn, "Image generation", a stored copy read 2026-11-27: one image a call, as base64. */
export const iflytekImages = {
  request(body, { channel }) {
    const [width, height] = sizeOf(body).split('x').map(Number)
    const refused = refusedIn(body)
    return {
      path: postedAddress('/v2.1/tti', channel),
      headers: {},
      body: {
        header: { app_id: appIdOf(channel) },
        parameter: { chat: { domain: 'general', width: width ?? 0, height: height ?? 0 } },
        payload: { message: { text: [{ role: 'user', content: textOr(body['prompt'], '') }] } },
      },
      ...(refused === null ? {} : { refused }),
    }
  },
  failure: readFailure,
  response(json, { created }) {
    if (!isObject(json)) return null
    const failure = failureIn(json)
    if (failure !== null) return failure
    const { payload } = json
    const choices = isObject(payload) && isObject(payload['choices']) ? payload['choices'] : {}
    const data = objectsIn(choices['text']).flatMap(({ content }) =>
      typeof content === 'string' && content !== '' ? [{ b64_json: content }] : [],
    )
    return data.length === 0 ? null : { response: { created, data }, usage: { ...noUsage, images: data.length } }
  },
} satisfies Dialect

function sizeOf({ size }: JsonObject): string {
  const sizeName = textOr(size, 'auto')
  return sizeName === 'auto' ? usual : sizeName
}

function refusedIn(body: JsonObject): string | null {
  if (!sizes.includes(sizeOf(body))) return 'size'
  if (asNumber(body['n'] ?? 1) > 1) return 'n'
  if (body['background'] === 'transparent') return 'background'
  return textOr(body['prompt'], '').length > promptMax ? 'prompt' : null
}
