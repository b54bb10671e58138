import type { Dialect } from '../../core/dialect.ts'
import { isObject } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { moderations } from '../../protocols/openai/unstreamed-kinds.ts'
import { errorIn } from '../../protocols/shared/openai-failure.ts'

/** OpenAI's form, but no result says whether anything was found (docs.mistral.ai, "Classifiers", a stored copy of 2026 read 2026-11-23). */
export const mistralModerations = {
  request: (body, target) => moderations.request(body, target),
  failure: moderations.failure,
  response(json) {
    if (!isObject(json)) return null
    const failure = errorIn(json)
    if (failure !== null) return failure
    const { results, usage: _counted, ...others } = json
    return Array.isArray(results) ? { response: { ...others, results: results.filter(isObject).map(withFlag) }, usage: null } : null
  },
} satisfies Dialect

function withFlag(result: JsonObject): JsonObject {
  const { categories, flagged } = result
  const isFound = isObject(categories) && Object.values(categories).includes(true)
  return { flagged: typeof flagged === 'boolean' ? flagged : isFound, ...result }
}
