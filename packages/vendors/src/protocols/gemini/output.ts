import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { fittingSchema } from '../shared/schema-instruction.ts'
import { withDefinitions } from './definitions.ts'
import type { ModelTraits } from './models.ts'
import { googleFields } from './thinking.ts'

/** What `response_format` becomes. */
export interface OutputFormat {
  /** Members of `generationConfig`. */
  readonly config: JsonObject
  /** An instruction, for models that refuse the field together with functions. */
  readonly instruction: string | null
}

const plain: OutputFormat = { config: {}, instruction: null }

/** Gemini API, "Structured outputs", a stored copy read 2026-11-22. */
export function toOutputFormat(format: Json | undefined, { mixesFormatAndTools }: ModelTraits, hasFunctions: boolean): OutputFormat {
  if (!isObject(format) || (format['type'] !== 'json_object' && format['type'] !== 'json_schema')) return plain
  const { json_schema: declared } = format
  const schema = isObject(declared) ? declared['schema'] : undefined
  if (hasFunctions && !mixesFormatAndTools) return { config: {}, instruction: instructionFor(schema) }
  return {
    config: { responseMimeType: 'application/json', ...(isObject(schema) ? { responseJsonSchema: withDefinitions(schema) } : {}) },
    instruction: null,
  }
}

function instructionFor(schema: Json | undefined): string {
  const form = isObject(schema) ? ` ${fittingSchema(schema)}` : ''
  return `Unless you call a function, answer with one valid JSON object and nothing else${form}.`
}

/** Which kinds of parts the response may have, and the form of images. */
export function toModalities(chat: JsonObject, { draws }: ModelTraits): JsonObject {
  if (!draws) return {}
  const { modalities, image_config: imageConfig } = chat
  const isImageOnly = Array.isArray(modalities) && modalities.includes('image') && !modalities.includes('text')
  const config = { ...(isObject(imageConfig) ? imageConfig : {}), ...ownImageConfig(chat) }
  return {
    responseModalities: isImageOnly ? ['IMAGE'] : ['TEXT', 'IMAGE'],
    ...(Object.keys(config).length === 0 ? {} : { imageConfig: inCamel(config) }),
  }
}

function ownImageConfig(chat: JsonObject): JsonObject {
  const { image_config: snake, imageConfig: camel } = googleFields(chat)
  const config = camel ?? snake
  return isObject(config) ? config : {}
}

function inCamel({ aspect_ratio: ratio, image_size: size, ...rest }: JsonObject): JsonObject {
  return { ...rest, ...(ratio === undefined ? {} : { aspectRatio: ratio }), ...(size === undefined ? {} : { imageSize: size }) }
}

/** The field that this model cannot serve; `null` = none. */
export function refusedOutput(chat: JsonObject, { draws }: ModelTraits, hasFunctions: boolean): string | null {
  const { modalities, response_format: format } = chat
  const outputs = Array.isArray(modalities) ? modalities : []
  if (outputs.includes('audio') || (outputs.includes('image') && !draws)) return 'modalities'
  if (!draws) return null
  if (hasFunctions) return 'tools'
  return isObject(format) && format['type'] !== 'text' ? 'response_format' : null
}
