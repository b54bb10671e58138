/** More time for each byte than usual. */
export interface Factor {
  /** Most time beside `JSON.parse` of as many bytes. */
  readonly most: number
  readonly why: string
}

const escaped = { most: 60, why: 'Each character is escaped by itself; the texts are names and addresses.' }

/** Exports that cost more for each byte than `JSON.parse` by another factor than the usual one: by the beginning of the names of their cases. */
const factors: Readonly<Record<string, Factor>> = {
  'packages/vendors/src/protocols/tasks/step-parts.ts#segment': escaped,
  'packages/vendors/src/vendors/mistral/short-tool-id.ts#shortToolId': { most: 60, why: 'A hash of the id, letter by letter.' },
  'packages/vendors/src/protocols/anthropic/native.ts#': {
    most: 60,
    why: 'A list of the names in a header, which has at most 2,000 characters.',
  },
  'packages/contract/src/parts.ts#': {
    most: 60,
    why: 'Lists are split, trimmed and joined again; a list of models has at most some thousand names.',
  },
  'packages/contract/src/channel-fields.ts#models': { most: 60, why: 'A list, which is split, trimmed and joined again.' },
  'packages/contract/src/user-fields.ts#': { most: 150, why: 'Unicode is normalized, so that a password is the same on every keyboard.' },
  'packages/vendors/src/protocols/anthropic/message-reader.ts#': {
    most: 80,
    why: 'An event that is no JSON costs an exception, a microsecond each.',
  },
  'packages/vendors/src/protocols/generate/response.ts#createResponse': {
    most: 60,
    why: 'Each choice, of 3 bytes, has a candidate with lists of its own.',
  },
  'apps/server/src/relay/ingress/token-key.ts#keyOf': {
    most: 120,
    why: 'The parser of addresses of the runtime; the head of a request has at most 64 KiB.',
  },
  'apps/server/src/lib/like.ts#likeAnywhere': escaped,
  'apps/server/src/lib/request-url.ts#queryOf': {
    most: 80,
    why: 'The parser of addresses of the runtime; the head of a request has at most 64 KiB.',
  },
  'apps/server/src/lib/scrub.ts#': { most: 60, why: 'Nine expressions over each text of a log line.' },
  'apps/server/src/relay/wire/without-secrets.ts#': {
    most: 60,
    why: 'Each secret of the channel is searched in the text in several forms.',
  },
}

export const factorNames = Object.keys(factors)

/** The most that a case may take beside `JSON.parse`; `undefined`: as usual. */
export function factorOf(name: string): number | undefined {
  const own = factorNames.find((beginning) => name.startsWith(beginning))
  return own === undefined ? undefined : factors[own]?.most
}
