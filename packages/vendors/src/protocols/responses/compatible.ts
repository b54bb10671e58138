import type { Dialect } from '../../core/dialect.ts'
import type { ReadResponseParts } from '../../core/passthrough.ts'
import { withoutIdleChoice } from '../calls/tool-members.ts'
import { passing } from '../openai/stream-usage.ts'
import { isStoredSearch } from '../shared/web-search.ts'
import { responses } from './native.ts'

const { passthrough } = responses

/** The responses of a vendor that stores none, whatever its response says of that. */
export const compatibleResponses = passing(
  '/v1/responses',
  {
    ...passthrough,
    response(json) {
      const seen = passthrough.response(json)
      return seen === null || 'kind' in seen ? seen : forgotten(seen)
    },
    event: (data) => forgotten(passthrough.event(data)),
  },
  (body, { rewrites }) => {
    const { tools } = body
    const own =
      Array.isArray(tools) && tools.some(isStoredSearch) ? { ...body, tools: tools.filter((tool) => !isStoredSearch(tool)) } : body
    return withoutIdleChoice(own, rewrites)
  },
) satisfies Dialect

/** Only what it encrypted is known again: it alone can read that. */
function forgotten<T extends Pick<ReadResponseParts, 'storedId' | 'items'>>({ storedId: _id, items, ...seen }: T) {
  const encrypted = (items ?? []).filter((item) => item.encrypted !== undefined).map((item) => ({ ...item, id: '' }))
  return { ...seen, ...(encrypted.length === 0 ? {} : { items: encrypted }) }
}
