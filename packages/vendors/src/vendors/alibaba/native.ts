import type { Failure } from '../../core/failure.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { readFailure } from '../../protocols/shared/openai-failure.ts'

/** The interface for images and audio (Alibaba Cloud Model Studio, "DashScope API reference", a stored copy read 2026-11-22). */
export const multimodalPath = '/api/v1/services/aigc/multimodal-generation/generation'

/** An error that came with a 2xx status: `{ code, message, request_id }`. */
export function errorInside(json: JsonObject): Failure | null {
  const { code, message } = json
  if (typeof code !== 'string' || code === '' || typeof message !== 'string') return null
  return { ...readFailure(500, JSON.stringify(json)), code }
}

export function outputOf(json: Json): JsonObject | null {
  return isObject(json) && isObject(json['output']) ? json['output'] : null
}
