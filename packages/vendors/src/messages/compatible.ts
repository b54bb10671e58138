import { anthropicMessages, nativeBody, versionHeaders } from '../anthropic/native.ts'
import type { Dialect } from '../dialect.ts'

/** The messages of a vendor that speaks the protocol without the proofs and tools of Anthropic: bytes are passed on, thoughts included. */
export const compatibleMessages = {
  request(body, target) {
    const sent = nativeBody(body, target)
    return { path: '/v1/messages', headers: versionHeaders({}, undefined), body: { ...sent, messages: body['messages'] ?? [] } }
  },
  failure: anthropicMessages.failure,
  passthrough: anthropicMessages.passthrough,
} satisfies Dialect
