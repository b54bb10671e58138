import { isObject, parseJson } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noUsage } from '../../core/no-usage.ts'
import type { PassedEvent, Passthrough } from '../../core/passthrough.ts'
import type { Usage } from '../../core/usage.ts'
import { errorIn } from '../shared/openai-failure.ts'
import { passing } from './stream-usage.ts'
import { usageIn } from './usage.ts'

const nothing: PassedEvent = { usage: null, text: '', finished: false, usageOnly: false, failure: null }

/** Events with a final image; the other events have previews. */
const finalTypes: ReadonlySet<Json | undefined> = new Set(['image_generation.completed', 'image_edit.completed'])

/** OpenAI API reference, "Images" and "Image streaming", read 2026-11-21. */
const passthrough: Passthrough = {
  response(json) {
    if (!isObject(json)) return null
    const failure = errorIn(json)
    if (failure !== null) return failure
    const { data } = json
    // Without images it is not a response, so it is not charged.
    return Array.isArray(data) && data.length > 0 ? { usage: imageUsage(json, data.length), text: '' } : null
  },
  event(data) {
    const event = parseJson(data)
    if (!isObject(event)) return nothing
    const failure = errorIn(event)
    if (failure !== null) return { ...nothing, failure }
    return finalTypes.has(event['type']) ? { ...nothing, usage: imageUsage(event, 1), finished: true, isOutputBlock: true } : nothing
  },
}

/** The number of images, and tokens if the vendor counts them. Without details, all output tokens count as image tokens. */
function imageUsage(body: JsonObject, images: number): Usage {
  const usage = usageIn(body)
  if (usage === null) return { ...noUsage, images }
  const { usage: rawUsage } = body
  const isDetailed = isObject(rawUsage) && isObject(rawUsage['output_tokens_details'])
  return { ...usage, images, imageOutputTokens: isDetailed ? usage.imageOutputTokens : usage.completionTokens }
}

export const images = passing('/v1/images/generations', passthrough)
export const imageEdits = passing('/v1/images/edits', passthrough)
export const imageVariations = passing('/v1/images/variations', passthrough)
