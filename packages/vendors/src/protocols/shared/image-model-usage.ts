import { textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { noUsage } from '../../core/no-usage.ts'
import type { Delegated } from '../../core/usage.ts'

/** The default model, and the price for models that have none: no other image model costs more. */
const usualPainter = 'gpt-image-1'

/** The model that generates images for a tool, and one whose price is used if that has none. */
export const painters = (tool: JsonObject): Delegated['models'] => [textOr(tool['model'], usualPainter), usualPainter]

/** One image. @param call says what was generated, as far as it does @param tool `image_generation`, as the request offers it */
export function generatedBy(call: JsonObject, tool: JsonObject): Delegated {
  const size = textOr(call['size'], textOr(tool['size'], 'auto'))
  const quality = textOr(call['quality'], textOr(tool['quality'], 'auto'))
  return { models: painters(tool), size, quality, usage: { ...noUsage, images: 1 } }
}
