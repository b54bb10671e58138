import type { Dialect } from '../../core/dialect.ts'
import { asNumber, asText } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { imageEdits } from '../../protocols/openai/images.ts'

/** Edits of one image as a whole: the client's form is sent as it came (StepFun, "Image editing", a stored copy read 2026-11-24). */
export const stepfunImageEdits = {
  ...imageEdits,
  readsFiles: true,
  request(body, target) {
    const { files = [] } = target
    const refused = files.some(({ name }) => name === 'mask') ? 'mask' : files.length > 1 ? 'image' : fieldRefused(body)
    return { ...imageEdits.request(body, target), sendsForm: true, ...(refused === null ? {} : { refused }) }
  },
} satisfies Dialect

function fieldRefused({ n, background, stream }: JsonObject): string | null {
  if (asNumber(n ?? 1) > 1) return 'n'
  if (background === 'transparent') return 'background'
  return asText(stream) === 'true' ? 'stream' : null
}
