import { messageOr } from '../../core/failure-parts.ts'
import { textOr } from '../../core/is-object.ts'
import { addressOf, at, type VendorQuery } from '../../core/vendor-query.ts'
import { objectsIn } from '../../protocols/shared/chat-parts.ts'

const pageRows = 100

/** Tasks of models that no call here reaches. */
const otherTasks = /^(?:image classification|image-to-text|object detection|summarization|translation|text classification|voice activity)/i

/** Workers AI, "Model Search", a stored copy of its client read 2026-11-23: pages of all models, each with its task. */
export const askCloudflareModels: VendorQuery<readonly string[]> = (context, responses) => {
  const last = responses.at(-1)
  if (last !== undefined && !Array.isArray(at(last, 'result'))) return { failed: messageOr(last, 'the response is not a list of models') }
  if (last === undefined || objectsIn(at(last, 'result')).length === pageRows) {
    const url = addressOf(context.baseUrl, `/models/search?per_page=${pageRows}&page=${responses.length + 1}`)
    return { request: { method: 'GET', url, headers: context.headers } }
  }
  const rows = responses.flatMap((response) => objectsIn(at(response, 'result')))
  const served = rows.filter((row) => !otherTasks.test(textOr(at(row, 'task', 'name'), '')) || /rerank/.test(textOr(row['name'], '')))
  return { result: served.map(({ name }) => textOr(name, '')).filter((name) => name !== '') }
}
