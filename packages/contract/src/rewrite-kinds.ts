/** What the gateway may change in a request beyond its translation. The package of the vendors has the same kinds, and says what each is. */
export const rewriteKinds = [
  'tool_names',
  'call_ids',
  'tools',
  'files',
  'parameters',
  'output_limit',
  'messages',
  'client_lines',
  'cache_marks',
  'characters',
] as const

export type RewriteKind = (typeof rewriteKinds)[number]
