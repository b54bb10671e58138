/** A call with this method and path, as clients should make it. */
export interface ClientCall {
  readonly method: string
  readonly path: string
}

/** Calls of OpenAI's and Anthropic's protocols by their paths without a version. */
const calls: readonly string[] = [
  ...['chat/completions', 'completions', 'edits', 'embeddings', 'moderations', 'rerank', 'responses', 'responses/compact'],
  'responses/input_tokens',
  ...['messages', 'messages/count_tokens', 'messages/batches', 'images/generations', 'images/edits', 'images/variations'],
  ...['audio/speech', 'audio/transcriptions', 'audio/translations'],
]
const known: ReadonlySet<string> = new Set(calls)

/** First parts of these paths. */
export const callFolders: readonly string[] = calls.map((path) => path.split('/')[0] ?? '')

/** Methods of Google's models. */
const method = /^\/models\/[^?#]+:(?:generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents)$/

/** Base addresses that end with the name of a protocol, or with a version although the client adds one. */
const prefix = /^\/(?:(?:anthropic|openai|gemini|google)\/(?=v1(?:beta)?\/)|v1(?:beta)?\/(?=v1(?:beta)?\/))/

/** Most prefixes of a path. */
const prefixesMax = 3

/**
 * The path of a client's call as this server has it: base addresses are entered with and without a version, with two of them, and with the name of a
 * protocol. A path that needs no change comes back as it is.
 */
export function clientPath(verb: string, path: string): string {
  let rest = path
  for (let count = 0; count < prefixesMax && prefix.test(rest); count += 1) rest = rest.replace(prefix, '/')
  if (rest.startsWith('/v1')) return rest
  if (verb !== 'POST' && verb !== 'OPTIONS') return path
  if (rest === '/v2/rerank') return '/v1/rerank'
  if (known.has(rest.slice(1))) return `/v1${rest}`
  return method.test(rest) ? `/v1beta${rest}` : path
}

/** Whether a path without a version is a client's call. */
export const isClientPath = (verb: string, path: string): boolean => clientPath(verb, path) !== path

/** Longest path in which a call is looked for. */
const searchedMax = 200

/** The call that an unknown path may mean: one at its end, or the path of another method. `null` = there is none. */
export function suggestCall(path: string): ClientCall | null {
  const searched = path.slice(0, searchedMax)
  const call = calls.toSorted((one, other) => other.length - one.length).find((name) => searched.endsWith(`/${name}`))
  if (call !== undefined) return { method: 'POST', path: `/v1/${call}` }
  const named = /\/models\/[^/:]{1,100}:(?:generateContent|streamGenerateContent|countTokens|embedContent)$/.exec(searched)
  if (named !== null) return { method: 'POST', path: `/v1beta${named[0]}` }
  return searched.endsWith('/models') ? { method: 'GET', path: '/v1/models' } : null
}
