import { asNumber, asText } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { UnsupportedByKind } from '../../core/unsupported.ts'
import type { VendorInterface } from '../../core/vendor.ts'
import { withoutFields } from '../../protocols/compat/fields.ts'

type Media = Required<Pick<VendorInterface, 'patches'>> & { readonly unsupported: UnsupportedByKind }

/**
 * StepFun, "Speech" and "Image generation", stored copies read 2026-11-24. An image is one, as its own choice of quality and background makes
 * it; how a text is spoken can be specified for the models from `stepaudio` on.
 */
export const stepfunMedia: Media = {
  patches: {
    images: (body) => withOwnSize(withoutFields(body, ['n', 'style', 'quality', 'background'])),
    speech: withInstruction,
  },
  unsupported: {
    images: ({ n, background }) => (asNumber(n) > 1 ? 'n' : background === 'transparent' ? 'background' : null),
    speech: ({ model, instructions }) => (isTold(instructions) && !takesInstruction(model) ? 'instructions' : null),
  },
}

const isTold = (text: JsonObject[string]): boolean => typeof text === 'string' && text !== ''

const takesInstruction = (model: JsonObject[string]): boolean => asText(model).startsWith('stepaudio')

function withInstruction({ instructions, ...body }: JsonObject): JsonObject {
  return isTold(instructions) ? { ...body, instruction: instructions } : body
}

/** This model names the height first. */
function withOwnSize(body: JsonObject): JsonObject {
  const { model, size } = body
  if (!asText(model).startsWith('step-image-edit-2') || typeof size !== 'string') return body
  if (size === 'auto') return withoutFields(body, ['size'])
  return { ...body, size: size.split('x').toReversed().join('x') }
}
