import {
  type Access,
  callOf,
  contract,
  type Endpoint,
  type ErrorCode,
  errorRow,
  type Language,
  limitOf,
  messageText,
  rateLimits,
  version,
} from './index.ts'
import { dataSchema, fileRowSchema, inputSchema, type JsonSchema } from './json-schema.ts'
import { memberText } from './members.ts'
import { summaries } from './summaries.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: JsonSchema
}

interface Content {
  readonly 'application/json': { readonly schema: JsonSchema }
  readonly 'text/csv'?: { readonly schema: JsonSchema }
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly security: ReadonlyArray<Readonly<Record<string, readonly string[]>>>
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: true; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly $ref: string } | { readonly description: string; readonly content: Content }>>
  readonly 'x-access': Access
  readonly 'x-side-effect': boolean
  readonly 'x-rate-limit': string
}

/** The parts of an OpenAPI 3.1 document that ours uses. */
export interface OpenApi {
  readonly openapi: '3.1.0'
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description: string
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly servers: ReadonlyArray<{ readonly url: string }>
  readonly tags: ReadonlyArray<{ readonly name: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: Readonly<Record<string, { readonly description: string; readonly headers?: object; readonly content: Content }>>
  }
}

interface NamedEndpoint {
  readonly noun: string
  readonly name: string
  readonly endpoint: Endpoint
  readonly input: JsonSchema
  readonly data: JsonSchema
  /** A row of the file that it returns; `null` = it returns an envelope. */
  readonly fileRow: JsonSchema | null
}

const words = {
  en: {
    title: 'Sluice management API',
    about: [
      'Every response is an envelope: `success`, `message`, and `data` if the call succeeded. Errors return 200 with `success: false` and a readable message; other statuses are named at each call.',
      'Log in with the session cookie that `POST /api/user/login` sets, or send a system access token as `Authorization: Bearer ...`. The keys of API tokens (`sk-...`) open the relay under `/v1`, not these calls. A call with the id of an account in the optional header `X-Expected-Account` is refused with 412 if it comes from another account.',
      'Paths are served with and without their final slash. Times are whole seconds since 1970, quota is a whole number, lists given as text are separated by commas. Messages are in English or Chinese, by `Accept-Language`.',
    ],
    access: {
      public: 'No login required.',
      user: 'Any account may call.',
      admin: 'Admins may call (role 10 and up).',
      root: 'Root may call (role 100).',
    },
    effect: 'Changes state although it is a GET: browsers may call it from our own pages only.',
    limit: (count: number, seconds: number, name: string) =>
      `At most ${count} calls in ${seconds} seconds (class \`${name}\`), unless the operator says otherwise.`,
    done: 'Carried out, or refused with a message',
    badJson: 'The body is no JSON',
  },
  zh: {
    title: 'Sluice 管理接口',
    about: [
      '每个响应都是同样的结构：`success`、`message`，成功时还有 `data`。无法执行的调用返回 200 和 `success: false`，并附带说明；其他状态码列在各个接口下。',
      '使用 `POST /api/user/login` 设置的会话 Cookie，或以 `Authorization: Bearer ...` 发送系统访问令牌。API 令牌（`sk-...`）只用于 `/v1` 转发接口，不能用于这里。可选请求头 `X-Expected-Account` 填账户 ID：如果调用者是其他账户，则返回 412 并拒绝执行。',
      '路径末尾的斜杠可有可无。时间为 1970 年以来的整秒数，额度为整数，文本形式的列表用逗号分隔。消息语言由 `Accept-Language` 决定（中文或英文）。',
    ],
    access: {
      public: '任何人都可以调用。',
      user: '任何已登录用户都可以调用。',
      admin: '管理员可以调用（角色 10 及以上）。',
      root: '超级管理员可以调用（角色 100）。',
    },
    effect: '虽然是 GET 请求，但会改变状态：浏览器只能从本站页面调用。',
    limit: (count: number, seconds: number, name: string) => `${seconds} 秒内最多 ${count} 次（类别 \`${name}\`），除非运营者另有设置。`,
    done: '已执行，或被拒绝并附带说明',
    badJson: '请求体不是 JSON',
  },
} as const

/** Errors that have a status other than 200, by the name of their response. */
const refusals = {
  Unauthorized: 'not_logged_in',
  Forbidden: 'cross_site_request',
  AccountChanged: 'account_changed',
  BodyTimeout: 'body_timeout',
  BodyTooLarge: 'body_too_large',
  UnsupportedEncoding: 'unsupported_encoding',
  TooManyRequests: 'rate_limited',
  InternalError: 'internal_error',
} as const satisfies Record<string, ErrorCode>

const failure: JsonSchema = {
  type: 'object',
  required: ['success', 'message'],
  properties: { success: { const: false }, message: { type: 'string' }, field: { type: 'string' }, changed_fields: { type: 'string' } },
}

const jsonOf = (schema: JsonSchema): Content => ({ 'application/json': { schema } })
const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

/** The management API as an OpenAPI document, generated from the contract that the server itself uses. */
export function openApi(language: Language): OpenApi {
  const calls = Object.entries(contract).flatMap(([noun, endpoints]) =>
    Object.entries(endpoints).map(([name, endpoint]): NamedEndpoint => {
      const say = (schema: JsonSchema): JsonSchema => described(schema, (member) => memberText({ noun, member }, language))
      const fileRow = fileRowSchema(endpoint)
      const rowSchema = fileRow === null ? null : say(fileRow)
      return { noun, name, endpoint, input: say(inputSchema(endpoint)), data: say(dataSchema(endpoint)), fileRow: rowSchema }
    }),
  )
  const rows = sharedRows(calls)
  const labels = words[language]
  const byPath = Map.groupBy(calls, ({ endpoint }) => pathOf(endpoint))
  const paths = [...byPath].map(([path, atPath]) => {
    const byMethod = Map.groupBy(atPath, ({ endpoint }) => endpoint.method.toLowerCase())
    return [path, Object.fromEntries([...byMethod].map(([method, same]) => [method, operation(same, { language, rows })]))] as const
  })
  return {
    openapi: '3.1.0',
    info: {
      title: labels.title,
      version: version.slice(1),
      description: labels.about.join('\n\n'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: Object.keys(contract).map((name) => ({ name })),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'session' },
        accessToken: { type: 'http', scheme: 'bearer' },
      },
      schemas: { Failure: failure, ...Object.fromEntries([...rows].map(([text, name]) => [name, JSON.parse(text)])) },
      responses: refusalResponses(language),
    },
  }
}

/** The schema with descriptions of its members, or of the members of its rows. */
function described(schema: JsonSchema, textOf: (member: string) => string | null): JsonSchema {
  if (schema.items !== undefined) return { ...schema, items: described(schema.items, textOf) }
  if (schema.properties === undefined) return schema
  const properties = Object.entries(schema.properties).map(([name, member]) => {
    const description = textOf(name)
    return [name, description === null ? member : { ...member, description }] as const
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}

/** The path with its parameters in OpenAPI's form. A query flag is not part of it. */
function pathOf({ path }: Endpoint): string {
  return (path.split('?')[0] ?? '').replace(/:(\w+)/g, '{$1}')
}

interface Context {
  readonly language: Language
  /** Schema as JSON text -> its name among the components. */
  readonly rows: ReadonlyMap<string, string>
}

/** An empty first member means that signing in is optional. */
function securityOf({ access, knowsCaller }: Endpoint) {
  const signedIn = knowsCaller ? [{ session: [] }, { accessToken: [] }] : []
  return access === 'public' && knowsCaller ? [{}, ...signedIn] : signedIn
}

/** One operation for the endpoints of one method and path, which differ by a query flag; the one without a flag comes first. */
function operation(same: readonly NamedEndpoint[], context: Context): Operation {
  const sorted = [...same].sort((a, b) => Number(a.endpoint.path.includes('?')) - Number(b.endpoint.path.includes('?')))
  const [main] = sorted
  if (main === undefined) throw new Error('an operation has at least one call')
  const { noun, name, endpoint } = main
  const labels = words[context.language]
  const limit = limitOf(endpoint)
  const { count, perSeconds } = rateLimits[limit]
  const notes = sorted.flatMap((call) => noteOf(call.endpoint, context.language))
  const lines = [...notes, labels.access[endpoint.access], labels.limit(count, perSeconds, limit)]
  const bodies = sorted.filter(({ endpoint }) => hasBody(endpoint)).map(bodyOf)
  return {
    operationId: `${noun}.${name}`,
    tags: [noun],
    summary: sorted.map((call) => titleOf(call.endpoint, context.language)).join(' · '),
    description: lines.join('\n\n'),
    security: securityOf(endpoint),
    parameters: sorted.flatMap(parametersOf),
    ...(bodies.length === 0 ? {} : { requestBody: { required: true, content: jsonOf(oneOf(bodies)) } }),
    responses: responsesOf(sorted, context),
    'x-access': endpoint.access,
    'x-side-effect': endpoint.sideEffect,
    'x-rate-limit': limit,
  }
}

function titleOf(endpoint: Endpoint, language: Language): string {
  return summaries[callOf(endpoint)]?.title[language] ?? endpoint.path
}

function noteOf(endpoint: Endpoint, language: Language): readonly string[] {
  const note = summaries[callOf(endpoint)]?.note
  const effect = endpoint.method === 'GET' && endpoint.sideEffect ? [words[language].effect] : []
  return [...(note ? [note[language]] : []), ...effect]
}

function hasBody({ method }: Endpoint): boolean {
  return method === 'POST' || method === 'PUT'
}

/** The input without the members that are sent in the query. */
function bodyOf({ endpoint, input }: NamedEndpoint): JsonSchema {
  if (endpoint.inQuery.length === 0) return input
  const properties = Object.entries(input.properties ?? {}).filter(([name]) => !endpoint.inQuery.includes(name))
  return { ...input, properties: Object.fromEntries(properties) }
}

function parametersOf({ endpoint, input: { properties = {}, required = [] } }: NamedEndpoint): readonly Parameter[] {
  const [path = '', flag] = endpoint.path.split('?')
  const inPath = [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')
  const ofPath = inPath.map((name): Parameter => ({ name, in: 'path', required: true, schema: properties[name] ?? {} }))
  if (flag !== undefined) return [...ofPath, { name: flag, in: 'query', required: false, schema: { type: 'string' } }]
  const ofQuery = Object.entries(properties).filter(([name]) =>
    hasBody(endpoint) ? endpoint.inQuery.includes(name) : !inPath.includes(name),
  )
  return [...ofPath, ...ofQuery.map(([name, schema]): Parameter => ({ name, in: 'query', required: required.includes(name), schema }))]
}

function oneOf(schemas: readonly JsonSchema[]): JsonSchema {
  const [only] = schemas
  return schemas.length === 1 && only !== undefined ? only : { anyOf: schemas }
}

function responsesOf(calls: readonly NamedEndpoint[], { language, rows }: Context): Operation['responses'] {
  const labels = words[language]
  // A file in JSON is an array of rows.
  const responses = calls.map((call) =>
    call.fileRow === null ? responseOf(call, rows) : named({ type: 'array', items: call.fileRow }, rows),
  )
  const file: Partial<Content> = calls.some(({ endpoint }) => endpoint.isFile) ? { 'text/csv': { schema: { type: 'string' } } } : {}
  const badJson = calls.map(({ endpoint }) => endpoint.badJsonStatus).find((status) => status !== 200)
  const possible = Object.entries(refusals).filter(([name]) => {
    if (name === 'Unauthorized')
      return calls.some(({ endpoint: { access, mayRefuseVisitors } }) => access !== 'public' || mayRefuseVisitors)
    if (name === 'AccountChanged') return calls.some(({ endpoint }) => endpoint.knowsCaller)
    return calls.some(({ endpoint }) => hasBody(endpoint)) || (!name.startsWith('Body') && name !== 'UnsupportedEncoding')
  })
  return {
    200: { description: labels.done, content: { ...file, ...jsonOf({ anyOf: [...responses, refTo('Failure')] }) } },
    ...(badJson === undefined ? {} : { [badJson]: { description: labels.badJson, content: jsonOf(refTo('Failure')) } }),
    ...Object.fromEntries(possible.map(([name, code]) => [String(errorRow(code).api), { $ref: `#/components/responses/${name}` }])),
  }
}

/** The envelope of a success, with members of `data` beside it for endpoints that repeat them there. */
function responseOf({ endpoint, data }: NamedEndpoint, rows: ReadonlyMap<string, string>): JsonSchema {
  const beside = endpoint.besideData ? (data.properties ?? {}) : {}
  return {
    type: 'object',
    required: ['success', 'message', 'data', ...Object.keys(beside)],
    properties: { success: { const: true }, message: { type: 'string' }, ...beside, data: named(data, rows) },
  }
}

/** The schema; a row that has a name is replaced by a reference. */
function named(schema: JsonSchema, rows: ReadonlyMap<string, string>): JsonSchema {
  const name = rows.get(JSON.stringify(schema))
  if (name !== undefined) return refTo(name)
  return schema.items === undefined ? schema : { ...schema, items: named(schema.items, rows) }
}

/** Rows that several endpoints return: schema as JSON text -> the name under which it is defined once. */
function sharedRows(calls: readonly NamedEndpoint[]): ReadonlyMap<string, string> {
  const rows = calls.flatMap(({ noun, data, fileRow }) => {
    const row = fileRow ?? data.items ?? data
    return row.properties === undefined ? [] : [{ noun, text: JSON.stringify(row) }]
  })
  const names = new Map<string, string>()
  for (const [text, same] of Map.groupBy(rows, (row) => row.text)) {
    const [first] = same
    if (first === undefined || same.length < 2) continue
    const plain = `${first.noun[0]?.toUpperCase()}${first.noun.slice(1)}`
    const taken = new Set(names.values())
    names.set(text, [plain, ...Array.from({ length: 99 }, (_, index) => `${plain}${index + 2}`)].find((name) => !taken.has(name)) ?? plain)
  }
  return names
}

function refusalResponses(language: Language): OpenApi['components']['responses'] {
  const retryAfter = { 'Retry-After': { schema: { type: 'integer' } } }
  return Object.fromEntries(
    Object.entries(refusals).map(([name, code]) => [
      name,
      {
        description: messageText(code, {}, language).replace(/\{(\w+)\}/g, '…'),
        ...(name === 'TooManyRequests' ? { headers: retryAfter } : {}),
        content: jsonOf(refTo('Failure')),
      },
    ]),
  )
}
