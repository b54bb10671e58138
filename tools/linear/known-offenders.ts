/**
 * What is known to take too long, until it is mended: the file, and either the expression as it is written or the beginning of the names of
 * cases. A row that no longer fails is reported by `npm run linear`, and is removed.
 */
export interface KnownOffender {
  readonly file: string
  /** A literal that is super-linear and has no bound yet. */
  readonly expression?: string
  /** What the names of cases begin with. */
  readonly cases?: string
}

const expressions: readonly (readonly [file: string, ...literals: string[]])[] = [
  [
    'apps/server/src/relay/ingress/multipart-parser.ts',
    String.raw`/^([\w!#$%&'*+.^` + '`' + String.raw`|~-]+):[ \t]*([^\r\n\0]*?)[ \t]*$/`,
  ],
  [
    'apps/server/src/relay/ingress/multipart.ts',
    String.raw`/^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]*)"|([^\s;"]+))\s*(?:;|$)/i`,
  ],
  ['packages/vendors/src/told-schema.ts', '/^\\s*```(?:json)?\\s*\\n([\\s\\S]*?)\\n?\\s*```\\s*$/'],
  ['apps/server/src/lib/cidr.ts', String.raw`/^(\d{1,3}(\.\d{1,3}){3}|[0-9a-f:.]*:[0-9a-f:.]*)\/\d{1,3}$/i`],
  ['packages/vendors/src/gemini/content.ts', String.raw`/\.([a-z0-9]+)(?:[?#].*)?$/i`],
  ['apps/server/src/http/framed-origins.ts', String.raw`/<iframe\b[^>]*?\bsrc\s*=\s*["']?(https?:\/\/[^\s"'<>]+)/gi`],
  ['packages/vendors/src/failure-rules.ts', String.raw`/\..*$/`],
  ['packages/vendors/src/duration.ts', String.raw`/(\d+(?:\.\d+)?)(h|ms|m|s)/g`],
  ['packages/vendors/src/zhipu/videos.ts', '/task.*(?:not exist|not found)|任务不存在/i'],
  ['packages/vendors/src/minimax/videos.ts', String.raw`/invalid task_?id|task.*not (?:exist|found)/i`],
  ['packages/contract/src/channel.ts', String.raw`/\/+$/`],
  ['packages/vendors/src/gemini/host.ts', String.raw`/\/v\d+[a-z0-9]*\/*$/i`],
  ['packages/vendors/src/gemini/model-list.ts', String.raw`/\/v\d+[a-z0-9]*$/i`],
  ['packages/vendors/src/balances/balances.ts', String.raw`/^(https?:\/\/[^/]+).*$/`],
  ['apps/server/src/api/status/public-content.ts', String.raw`/<pre[\s\S]*?<\/pre>/g`],
  [
    'apps/server/src/lib/scrub.ts',
    String.raw`/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g`,
    String.raw`/-----BEGIN [A-Z ]+-----[\s\S]*?-----END [A-Z ]+-----/g`,
  ],
]

const joinUrl = 'packages/vendors/src/join-url.ts'

const cases: readonly (readonly [file: string, ...beginnings: string[]])[] = [
  [joinUrl, `${joinUrl}#`, 'packages/vendors/src/vendor-query.ts#addressOf'],
  ['packages/vendors/src/duration.ts', 'packages/vendors/src/duration.ts#secondsOf'],
  ['apps/server/src/relay/ingress/multipart-parser.ts', 'apps/server/src/relay/ingress/multipart-parser.ts#createMultipartParser'],
  ['apps/server/src/relay/ingress/multipart.ts', 'apps/server/src/relay/ingress/multipart.ts#readMultipart'],
  [
    'apps/server/src/lib/cidr.ts',
    'apps/server/src/lib/cidr.ts#',
    'packages/contract/src/token.ts#',
    'apps/server/src/import/plan-token.ts#planToken',
  ],
  [
    'packages/vendors/src/gemini/content.ts',
    'packages/vendors/src/gemini/',
    'packages/vendors/src/vertexai/',
    'packages/vendors/src/build-request.ts#buildRequest (Google',
    'packages/vendors/src/build-request.ts#buildRequest (Vertex',
  ],
  ['packages/vendors/src/failure-rules.ts', 'packages/vendors/src/failure-rules.ts#'],
  ['packages/vendors/src/told-schema.ts', 'packages/vendors/src/told-schema.ts#fitted'],
  [
    'packages/vendors/src/messages/message-events.ts',
    'packages/vendors/src/messages/message-events.ts#',
    'packages/vendors/src/dialects.ts#dialectOf (messages',
  ],
  ['packages/vendors/src/zhipu/videos.ts', 'packages/vendors/src/zhipu/videos.ts#'],
  ['packages/vendors/src/minimax/videos.ts', 'packages/vendors/src/minimax/videos.ts#'],
  ['packages/contract/src/channel.ts', 'packages/contract/src/channel.ts#'],
  ['packages/contract/src/option-rows.ts', 'packages/contract/src/option-rows.ts#', 'packages/contract/src/options.ts#options'],
  ['apps/server/src/lib/scrub.ts', 'apps/server/src/lib/scrub.ts#'],
  ['apps/server/src/lib/egress.ts', 'apps/server/src/lib/egress.ts#isForbidden', 'apps/server/src/lib/public-address.ts#'],
]

const knownOffenders: readonly KnownOffender[] = [
  ...expressions.flatMap(([file, ...literals]) => literals.map((expression) => ({ file, expression }))),
  ...cases.flatMap(([file, ...beginnings]) => beginnings.map((name) => ({ file, cases: name }))),
]

export function isKnownExpression(text: string): boolean {
  return knownOffenders.some(({ expression }) => expression === text)
}

export function isKnownCase(name: string): boolean {
  return knownOffenders.some((known) => known.cases !== undefined && name.startsWith(known.cases))
}
