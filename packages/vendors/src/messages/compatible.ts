import { anthropicMessages, nativeBody, versionHeaders } from '../anthropic/native.ts'
import type { Dialect } from '../dialect.ts'
import { withoutToolChanges } from './tool-changes.ts'

/** The messages of a vendor that speaks the protocol without the proofs and tools of Anthropic: bytes are passed on, thoughts included. */
export const compatibleMessages = {
  request(body, target) {
    const asked = withoutToolChanges(body)
    const sent = nativeBody(asked, target)
    return { path: '/v1/messages', headers: versionHeaders({}, undefined), body: { ...sent, messages: asked['messages'] ?? [] } }
  },
  failure: anthropicMessages.failure,
  passthrough: anthropicMessages.passthrough,
} satisfies Dialect
