import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { callOf, contract, type Endpoint } from '@sluice/contract'
import { dataSchema, inputSchema, type JsonSchema } from '@sluice/contract/json-schema'
import { describedMembers } from '@sluice/contract/members'
import { type OpenApi, type Operation, openApi } from '@sluice/contract/openapi'
import { summaries } from '@sluice/contract/summaries'
import { type TestApp, testApp } from './app.ts'
import { endpoints, sendRaw } from './endpoints.ts'
import { differences } from './matches-schema.ts'
import { consoleBodies, readRows } from './surface.ts'

let app: TestApp
let document: OpenApi
beforeAll(async () => {
  app = await testApp()
  document = JSON.parse(await (await app.request('/api/openapi.json')).text())
})
afterAll(() => app.close())

const operationsOf = ({ paths }: OpenApi): ReadonlyArray<readonly [path: string, method: string, operation: Operation]> =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): readonly [string, string, Operation] => [path, method, operation]),
  )

function operationOf(endpoint: Endpoint): Operation {
  const path = endpoint.path.split('?')[0]?.replace(/:(\w+)/g, '{$1}') ?? ''
  const operation = document.paths[path]?.[endpoint.method.toLowerCase()]
  if (operation === undefined) throw new Error(`the document lacks ${callOf(endpoint)}`)
  return operation
}

/** The schemas of a 200: those of successful calls, and that of a failure. */
function formsOf(operation: Operation): readonly JsonSchema[] {
  const payload = operation.responses['200']
  return payload !== undefined && 'content' in payload ? (payload.content['application/json'].schema.anyOf ?? []) : []
}

function isFile(operation: Operation): boolean {
  const payload = operation.responses['200']
  return payload !== undefined && 'content' in payload && payload.content['text/csv'] !== undefined
}

/** Every schema anywhere in the document. */
function schemasIn(value: unknown, at = '$'): ReadonlyArray<readonly [at: string, schema: JsonSchema]> {
  if (typeof value !== 'object' || value === null) return []
  const here: ReadonlyArray<readonly [string, JsonSchema]> =
    /\.(?:schema|data|items|\d+)$/.test(at) && !Array.isArray(value) ? [[at, value]] : []
  return [...here, ...Object.entries(value).flatMap(([name, member]) => schemasIn(member, `${at}.${name}`))]
}

describe('the OpenAPI document', () => {
  test('is served without a login, uncached, in both languages', async () => {
    const response = await app.request('/api/openapi.json', { headers: { 'accept-language': 'zh-CN' } })
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    })
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(openApi('zh'))))
    expect(document).toEqual(JSON.parse(JSON.stringify(openApi('en'))))
  })

  test('is a valid OpenAPI 3.1 document', () => {
    expect([document.openapi, document.info.version]).toEqual(['3.1.0', '0.6.8'])
    expect(document.servers).toEqual([{ url: '/' }])
    const operations = operationsOf(document)
    const ids = operations.map(([, , { operationId }]) => operationId)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    const tags = document.tags.map(({ name }) => name)
    for (const [path, method, operation] of operations) {
      expect([path, path.startsWith('/api/')]).toEqual([path, true])
      expect(['get', 'post', 'put', 'delete']).toContain(method)
      expect([path, operation.tags.every((tag) => tags.includes(tag))]).toEqual([path, true])
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
      expect([path, inPath.map(({ name, required }) => [name, required])]).toEqual([path, named.map((name) => [name, true])])
      const parameters = operation.parameters.map(({ name }) => name)
      expect([path, parameters.filter((name, index) => parameters.indexOf(name) !== index)]).toEqual([path, []])
      expect([path, method, operation.requestBody !== undefined]).toEqual([path, method, method === 'post' || method === 'put'])
      expect([path, formsOf(operation).length + Number(isFile(operation)) > 1]).toEqual([path, true])
      for (const scheme of operation.security.flatMap(Object.keys))
        expect(Object.keys(document.components.securitySchemes)).toContain(scheme)
    }
  })

  test('has no broken reference, and a type for every value', () => {
    for (const [, reference] of JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)) {
      const [, kind, name] = reference?.match(/^#\/components\/(responses|schemas)\/(\w+)$/) ?? []
      const part = kind === 'responses' ? document.components.responses : document.components.schemas
      expect([reference, Object.hasOwn(part, name ?? '')]).toEqual([reference, true])
    }
    const silent = schemasIn(document).filter(([at, schema]) => !at.includes('.security') && Object.keys(schema).length === 0)
    expect(silent.map(([at]) => at)).toEqual([])
  })

  test('contains every call of the contract, with its access, side effect, rate limit and errors', () => {
    for (const [name, endpoint] of endpoints) {
      const operation = operationOf(endpoint)
      expect([name, operation['x-access'], operation['x-side-effect']]).toEqual([name, endpoint.access, endpoint.sideEffect])
      expect([name, operation.security.length > 0]).toEqual([name, endpoint.access !== 'public' || endpoint.knowsCaller])
      const mayStayAway = operation.security.every((way: object) => Object.keys(way).length > 0) ? operation.security.length === 0 : true
      expect([name, mayStayAway]).toEqual([name, endpoint.access === 'public'])
      const codes = Object.keys(operation.responses)
      expect([name, codes.includes('429'), codes.includes('500'), codes.includes('401')]).toEqual([
        name,
        true,
        true,
        endpoint.access !== 'public' || endpoint.mayRefuseVisitors,
      ])
      if (endpoint.badJsonStatus !== 200) expect(codes).toContain(String(endpoint.badJsonStatus))
      if (endpoint.method === 'GET' && endpoint.sideEffect)
        expect([name, operation.description]).toEqual([name, expect.stringContaining('Changes state')])
    }
  })

  test('names the status with which a visitor is refused', async () => {
    for (const [name, endpoint] of endpoints.filter(([, { method, access }]) => method === 'GET' && access === 'public')) {
      const { status } = await app.request(endpoint.path)
      expect([name, status, Object.keys(operationOf(endpoint).responses).includes(String(status))]).toEqual([name, status, true])
    }
  })

  test('has a summary of every call, and of no other', () => {
    const calls = endpoints.map(([, endpoint]) => callOf(endpoint))
    // If a call has no summary: add it to packages/contract/src/summaries.ts in both languages.
    const silent = calls.filter((call) => !Object.hasOwn(summaries, call))
    const stale = Object.keys(summaries).filter((call) => !calls.includes(call))
    expect({ silent, stale }).toEqual({ silent: [], stale: [] })
  })

  test('describes existing members only, and every number that is a code', () => {
    const isDescribed = (noun: string, member: string): boolean =>
      describedMembers.includes(`${noun}.${member}`) || describedMembers.includes(member)
    const members = endpoints.flatMap(([name, endpoint]) => {
      const data = dataSchema(endpoint)
      const names = [inputSchema(endpoint), data, data.items ?? {}].flatMap(({ properties }) => Object.keys(properties ?? {}))
      return names.map((member) => [name.split('.')[0] ?? '', member] as const)
    })
    const known = new Set(members.flatMap(([noun, member]) => [member, `${noun}.${member}`]))
    const coded = members.filter(
      ([noun, member]) => /^(?:role|status|type|.*_time|.*_timestamp|created_at)$/.test(member) && !isDescribed(noun, member),
    )
    expect({ gone: describedMembers.filter((name) => !known.has(name)), silent: coded.map(String) }).toEqual({ gone: [], silent: [] })
  })

  test('describes rows with every member that compatible consoles read', () => {
    const byCall = new Map(endpoints.map(([, endpoint]) => [callOf(endpoint), endpoint]))
    for (const [call, row] of Object.entries(readRows)) {
      const endpoint = byCall.get(call)
      if (endpoint === undefined) throw new Error(`there is no ${call}`)
      const data = formsOf(operationOf(endpoint))[0]?.properties?.['data']
      const item = data?.items ?? data ?? {}
      const schema = item.$ref === undefined ? item : (document.components.schemas[item.$ref.split('/').at(-1) ?? ''] ?? {})
      const { additionalProperties: _, required: _all, ...lenient } = schema
      const missing = Object.keys(row).filter((name) => schema.required?.includes(name) !== true)
      expect([call, missing, differences(row, lenient, document.components.schemas)]).toEqual([call, [], []])
    }
  })

  test('describes bodies of compatible consoles as valid, except for members that are ignored', () => {
    const byCall = new Map(endpoints.map(([, endpoint]) => [callOf(endpoint), endpoint]))
    for (const [call, body] of consoleBodies) {
      const endpoint = byCall.get(call)
      if (endpoint === undefined) throw new Error(`there is no ${call}`)
      const schema = operationOf(endpoint).requestBody?.content['application/json'].schema ?? {}
      const fields = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
      expect([call, differences(fields, schema, document.components.schemas)]).toEqual([call, []])
    }
  })

  test('matches the responses of the server', async () => {
    const ann = await app.make.user()
    const { id: tokenId } = await app.make.token(app.root)
    const channelId = await app.make.channel()
    await app.data(contract.redemption.create, { name: 'a code', quota: 5, count: 2 })
    const ids: Readonly<Record<string, number>> = { token: tokenId, channel: channelId, redemption: 1, user: ann.id }
    let responded = 0
    // Reads come first, because later calls delete the rows; calls that end the session come last.
    const order = (endpoint: Endpoint): number => (endpoint.path.includes('logout') ? 2 : endpoint.method === 'GET' ? 0 : 1)
    for (const [name, endpoint] of [...endpoints].sort((a, b) => order(a[1]) - order(b[1]))) {
      const input = endpoint.path.includes(':id') ? { id: ids[/^\/api\/(\w+)/.exec(endpoint.path)?.[1] ?? ''] ?? 1 } : {}
      const body = consoleBodies.find(([call]) => call === callOf(endpoint))?.[1] ?? {}
      const response = await sendRaw(app, endpoint, { as: app.root, input: { ...body, ...input } })
      if (response.headers.get('content-type')?.startsWith('text/csv') === true) {
        expect([name, isFile(operationOf(endpoint))]).toEqual([name, true])
        continue
      }
      const payload = JSON.parse(await response.text())
      const schema: JsonSchema = { anyOf: formsOf(operationOf(endpoint)) }
      expect([name, differences(payload, schema, document.components.schemas)]).toEqual([name, []])
      if (payload.success === true) responded += 1
    }
    expect(responded).toBeGreaterThan(endpoints.length / 2)
  })
})

describe('the page of the management API', () => {
  test('shows every call, runs no script, and loads nothing', async () => {
    for (const path of ['/api/docs', '/api/docs/']) {
      const response = await app.request(path)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      const policy = response.headers.get('content-security-policy') ?? ''
      expect(policy).toStartWith("default-src 'none'; style-src 'sha256-")
      const page = await response.text()
      for (const [, endpoint] of endpoints) expect(page).toContain(`>${endpoint.path.split('?')[0]?.replace(/:(\w+)/g, '{$1}')}<`)
      expect(page).not.toMatch(/<script|\son\w+=|https?:|@import|url\(/)
      const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? ''
      expect(policy).toContain(new Bun.CryptoHasher('sha256').update(style).digest('base64'))
    }
  })

  test('is in Chinese if the browser prefers it', async () => {
    const page = await (await app.request('/api/docs', { headers: { 'accept-language': 'zh' } })).text()
    expect(page).toContain('lang="zh-CN"')
    expect(page).toContain('列出渠道')
  })
})
