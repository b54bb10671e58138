import type { Dialect } from '../../core/dialect.ts'
import type { PassedEvent, Passthrough } from '../../core/passthrough.ts'
import type { Usage } from '../../core/usage.ts'
import { withoutToolChanges } from '../messages/tool-changes.ts'
import { anthropicMessages, nativeBody, versionHeaders } from './native.ts'

/** The messages of a vendor that speaks the protocol without the proofs and tools of Anthropic: bytes are passed on, reasoning included. */
export const compatibleMessages = {
  request(body, target) {
    const plainBody = withoutToolChanges(body)
    const upstreamBody = nativeBody(plainBody, target)
    return {
      path: '/v1/messages',
      headers: versionHeaders({}, undefined),
      body: { ...upstreamBody, messages: plainBody['messages'] ?? [] },
    }
  },
  failure: anthropicMessages.failure,
  passthrough: anthropicMessages.passthrough,
} satisfies Dialect

/**
 * The dialect for a request with explicit cache marks: what is read from a cache is then read from an explicit one, which some vendors charge
 * differently, also if nothing was written to it (Alibaba Cloud Model Studio, "Context cache", a copy of 2026-10-11: a request has one of the
 * two kinds, and the explicit kind is that of the Anthropic-compatible interface, too).
 */
export const compatibleMessagesWithMarks = {
  ...compatibleMessages,
  passthrough: readByMarks(anthropicMessages.passthrough),
} satisfies Dialect

function readByMarks(plain: Passthrough): Passthrough {
  const { open } = plain
  const marked = (event: PassedEvent): PassedEvent => (event.usage === null ? event : { ...event, usage: byMarks(event.usage) })
  return {
    ...plain,
    response(json) {
      const seen = plain.response(json)
      return seen === null || 'kind' in seen ? seen : { ...seen, usage: byMarks(seen.usage) }
    },
    event: (data) => marked(plain.event(data)),
    ...(open !== undefined && {
      open: () => {
        const read = open()
        return (data) => marked(read(data))
      },
    }),
  }
}

function byMarks(usage: Usage | null): Usage | null {
  return usage === null || usage.cachedTokens === 0 ? usage : { ...usage, isCacheExplicit: true }
}
