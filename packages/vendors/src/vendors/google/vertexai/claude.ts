import type { Failure } from '../../../core/failure.ts'
import { isObject, parseJson } from '../../../core/is-object.ts'
import { anthropic } from '../../../protocols/anthropic/dialect.ts'
import { enveloped } from '../../../protocols/anthropic/enveloped.ts'
import { readFailure } from '../../../protocols/gemini/failure.ts'
import { modelPath } from './host.ts'

/** Claude at Google Cloud (Anthropic, "Claude on Vertex AI", a stored copy read 2026-11-22). */
export const vertexAiClaude = enveloped({
  pathOf: ({ model, stream, channel }) =>
    modelPath(channel, 'anthropic', `${cloudName(model)}:${stream ? 'streamRawPredict' : 'rawPredict'}`),
  version: 'vertex-2023-10-16',
  namesStream: true,
  needsImageBytes: true,
  failure: readEither,
})

/** Anthropic's names have `-20250929` where the cloud has `@20250929`; one model has another name. */
function cloudName(model: string): string {
  return model.replace(/^claude-3-5-sonnet[-@]20241022$/, 'claude-3-5-sonnet-v2@20241022').replace(/-(20\d{6})$/, '@$1')
}

/** Errors of the service have Google's form, those of the model Anthropic's. */
function readEither(status: number, body: string): Failure {
  const json = parseJson(body)
  const first = Array.isArray(json) ? json[0] : json
  const error = isObject(first) ? first['error'] : undefined
  return isObject(error) && typeof error['status'] === 'string' ? readFailure(status, body) : anthropic.failure(status, body)
}
