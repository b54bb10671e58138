import { isGiven, isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Target } from '../../core/request.ts'
import { withUserInstructions } from '../rules/instructions.ts'
import { withoutEffort, withThinkingForm } from '../rules/thinking-form.ts'
import { withoutGeneratedImages } from '../shared/gateway-marks.ts'
import { endedByUser } from './messages.ts'
import { type ModelTraits, traitsOf } from './models.ts'

type Fitting = Pick<Target, 'model' | 'rewrites'>

/** A request in Anthropic's own form with instructions in the middle in a form that the model takes, and without images that another model made. */
export function withFittingTurns(body: JsonObject, { model, rewrites }: Fitting): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages)) return body
  const turns = withFittingInstructions(withoutGeneratedImages(messages, rewrites), { model, rewrites })
  return turns === messages ? body : { ...body, messages: turns }
}

function withFittingInstructions(messages: readonly Json[], { model, rewrites }: Fitting): readonly Json[] {
  const turns = withUserInstructions(messages)
  if (turns === messages || traitsOf(model).takesSystemTurns || !rewrites.may('messages')) return messages
  rewrites.note('messages', 'role system -> user')
  return turns
}

/**
 * A request whose client knows the model by another name, so that it cannot know what that takes: reasoning in the form of the model's generation, no
 * sampling where it has none, no prefill where it takes none.
 */
export function fittedToModel(body: JsonObject, { model, rewrites }: Fitting): JsonObject {
  if (body['model'] === undefined || body['model'] === model || !model.includes('claude')) return body
  const traits = traitsOf(model)
  const tuned = rewrites.may('parameters') ? withFittingParameters(body, traits, model) : body
  for (const name of tuned === body ? [] : changing) {
    if (tuned[name] !== body[name]) rewrites.note('parameters', `${name} for ${model}`)
  }
  const ended = traits.takesPrefill || !rewrites.may('messages') ? tuned : withUserEnd(tuned)
  if (ended !== tuned) rewrites.note('messages', 'user turn at the end')
  return ended
}

const changing = ['thinking', 'output_config', 'temperature', 'top_p', 'top_k'] as const

function withFittingParameters(body: JsonObject, traits: ModelTraits, model: string): JsonObject {
  return withFittingSampling(withFittingEffort(withFittingThinking(body, traits), traits, model), traits)
}

function withFittingThinking(body: JsonObject, { thinking: form, refusesTuning, thinks, offType }: ModelTraits): JsonObject {
  const { thinking, ...rest } = body
  if (!isObject(thinking)) return body
  if (thinking['type'] === 'disabled' || thinking['type'] === 'between_tools') {
    if (thinks === 'always') return rest
    return thinking['type'] === offType ? body : { ...body, thinking: { ...thinking, type: offType } }
  }
  if (form === 'adaptive') return refusesTuning ? withThinkingForm(body, 'adaptive') : body
  if (form === 'none' && thinking['type'] === 'enabled') return rest
  return withThinkingForm(body, form)
}

/** Opus 4.5 has an effort beside its budgets (Anthropic, "Effort", read 2026-11-21). */
function withFittingEffort(body: JsonObject, { thinking, knowsXhigh }: ModelTraits, model: string): JsonObject {
  const { output_config: config } = body
  if (!isObject(config) || config['effort'] === undefined) return body
  if (thinking !== 'adaptive' && !model.includes('opus-4-5')) return withoutEffort(body)
  return config['effort'] === 'xhigh' && !knowsXhigh ? { ...body, output_config: { ...config, effort: 'max' } } : body
}

function withFittingSampling(body: JsonObject, { refusesTuning, takesOneSampling }: ModelTraits): JsonObject {
  const { temperature, top_p: topP, top_k: topK, ...rest } = body
  if (refusesTuning) return temperature === undefined && topP === undefined && topK === undefined ? body : rest
  if (!takesOneSampling || !isGiven(temperature) || !isGiven(topP)) return body
  const { top_p: _topP, ...one } = body
  return one
}

function withUserEnd(body: JsonObject): JsonObject {
  const { messages } = body
  const last = Array.isArray(messages) ? messages.at(-1) : undefined
  return Array.isArray(messages) && isObject(last) && last['role'] === 'assistant'
    ? { ...body, messages: endedByUser(messages.filter(isObject)) }
    : body
}
