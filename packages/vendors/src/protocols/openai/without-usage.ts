import type { ChatDialect } from '../../core/dialect.ts'
import { openai } from './dialect.ts'

const { passthrough } = openai

/** For servers whose counts are placeholders: they are not read, so the gateway counts tokens itself. */
export const uncounted = {
  ...openai,
  response(json, context) {
    const read = openai.response(json, context)
    return read === null || 'kind' in read ? read : { ...read, usage: null }
  },
  stream(context) {
    const inner = openai.stream(context)
    return { event: inner.event, end: () => ({ ...inner.end(), usage: null }) }
  },
  passthrough: {
    ...passthrough,
    response(json) {
      const seen = passthrough.response(json)
      return seen === null || 'kind' in seen ? seen : { ...seen, usage: null }
    },
    event: (data) => ({ ...passthrough.event(data), usage: null }),
  },
} satisfies ChatDialect
