/** Exports that once took seconds for some kilobytes, so that their faults do not come back: `npm test` measures them every time. */
export const onceSlow: readonly string[] = [
  // Schemas that refer to themselves.
  'packages/vendors/src/protocols/shared/schema-instruction.ts#fittingSchema',
  // Expressions and searches that began again at each character.
  ...['addressAt', 'baseOf', 'withoutVersion'].map((name) => `packages/vendors/src/core/join-url.ts#${name}`),
  'packages/vendors/src/protocols/shared/chat-parts.ts#bytesInAddress',
  'packages/vendors/src/core/crypto-functions.ts#base64Url',
  'packages/vendors/src/core/duration.ts#secondsOf',
  'packages/vendors/src/core/failure-parts.ts#plainMessage',
  'packages/vendors/src/core/failure-rules.ts#readFailureOf',
  'packages/vendors/src/protocols/gemini/content.ts#toParts',
  'packages/vendors/src/protocols/gemini/models.ts#traitsOf',
  'packages/vendors/src/protocols/tasks/step-parts.ts#contentOf',
  'apps/server/src/import/location.ts#parseLocation',
  'apps/server/src/lib/scrub.ts#scrubText',
  'apps/server/src/relay/ingress/multipart-parser.ts#createMultipartParser',
  'apps/server/src/relay/wire/without-traces.ts#withoutTraces',
  // Names that were made anew for each member.
  'apps/server/src/relay/ingress/kinds/generate.ts#countableContents',
  // Texts that were joined, and lists that were searched, again for each event.
  'packages/vendors/src/protocols/shared/chat-collector.ts#collected',
  'packages/vendors/src/protocols/anthropic/stream.ts#anthropicStream',
  'packages/vendors/src/protocols/generate/response.ts#createResponse',
  'packages/vendors/src/protocols/messages/message-events.ts#createMessageEvents',
  'packages/vendors/src/protocols/responses/response-events.ts#createResponseEvents',
  'packages/vendors/src/vendors/tencent/stop-words.ts#createHeldBack',
  'apps/server/src/relay/wire/sse.ts#createSseReader',
]
