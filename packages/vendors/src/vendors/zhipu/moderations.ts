import type { Dialect } from '../../core/dialect.ts'
import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { moderations } from '../../protocols/openai/unstreamed-kinds.ts'
import { objectsIn } from '../../protocols/shared/chat-parts.ts'
import { errorIn } from '../../protocols/shared/openai-failure.ts'

/**
 * docs.bigmodel.cn, "内容安全", a stored copy read 2026-11-24: one text a call, and its price is that of a text. Risks have the vendor's names, and there are no
 * scores.
 */
export const zhipuModerations = {
  request(body, target) {
    const text = textIn(body['input'])
    const outgoing = moderations.request({ ...body, input: text ?? '' }, target)
    return text === null ? { ...outgoing, refused: 'input' } : outgoing
  },
  failure: moderations.failure,
  response(json, { id, model }) {
    if (!isObject(json)) return null
    const failure = errorIn(json)
    if (failure !== null) return failure
    const { result_list: list } = json
    if (!Array.isArray(list)) return null
    return { response: { id: textOr(json['id'], id), model, results: [resultOf(objectsIn(list))] }, usage: null }
  },
} satisfies Dialect

/** `null` = several texts, or something else than a text. */
function textIn(input: Json | undefined): string | null {
  if (typeof input === 'string') return input
  const [only, ...others] = Array.isArray(input) ? input : []
  if (others.length > 0) return null
  if (typeof only === 'string') return only
  return isObject(only) && only['type'] === 'text' && typeof only['text'] === 'string' ? only['text'] : null
}

/** What the vendor would only have looked at by people (REVIEW) is found, too. */
function resultOf(list: readonly JsonObject[]): JsonObject {
  const flaggedRows = list.filter(({ risk_level: level }) => level !== 'PASS')
  const risks = flaggedRows.flatMap(({ risk_type: types }) =>
    Array.isArray(types) ? types.filter((type) => typeof type === 'string') : [],
  )
  return { flagged: flaggedRows.length > 0, categories: Object.fromEntries(risks.map((risk) => [risk, true])), category_scores: {} }
}
