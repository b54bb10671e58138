import { expect } from 'bun:test'
import { contract } from '@sluice/contract'
import type { TestApp } from '../app.ts'
import { type ClientStream, chats, generated, messages, responses } from '../client-streams.ts'
import type { Script } from '../fake-upstream.ts'
import { responseSummary } from './response-summary.ts'

export const clients: readonly ClientStream[] = [chats, messages, responses, generated]

/** A channel that a vendor's responses come from. */
export interface ResponsesOf {
  readonly type: number
  readonly model: string
  readonly key?: string
}

/** How a client asks for a response. */
export interface ResponseRequest {
  readonly client: ClientStream
  readonly at: ResponsesOf
  readonly script: Script
  readonly isStream: boolean
  /** More members of the request. */
  readonly more?: object
}

const parameters = { type: 'object', properties: { a: { type: 'string' } } }
const names = ['read_note', 'write_note'] as const

/** Two functions, in the form of each protocol. */
export const twoTools = new Map<ClientStream, object>([
  [chats, { tools: names.map((name) => ({ type: 'function', function: { name, parameters } })) }],
  [messages, { tools: names.map((name) => ({ name, input_schema: parameters })) }],
  [responses, { tools: names.map((name) => ({ type: 'function', name, parameters, strict: false })) }],
  [generated, { tools: [{ functionDeclarations: names.map((name) => ({ name, parametersJsonSchema: parameters })) }] }],
])

/** What a client gets of a scripted response, and what it is charged. */
export async function requestResponse(app: TestApp, { client, at, script, isStream, more = twoTools.get(client) }: ResponseRequest) {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const { type, model, key } = at
  await app.make.channel({ groups, type, models: model, baseUrl: app.upstream.url, ...(key === undefined ? {} : { key }) })
  const user = await app.make.user({ groups, quota: 100_000_000 })
  const { key: token } = await app.make.token(user, { isUnlimited: true })
  app.upstream.script(script)
  const path = isStream ? client.pathOf(model) : client.pathOf(model).replace('streamGenerateContent?alt=sse', 'generateContent')
  const body = { ...client.bodyOf({ model, content: 'Hi' }), ...(client === generated ? {} : { stream: isStream }), ...more }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
  const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  await app.app.ledger.drain()
  const [row] = await app.data(contract.log.list, { username: user.username })
  return { status: response.status, text, quota: row?.quota ?? 0, sent: app.upstream.received.at(-1)?.body ?? '' }
}

/** As `askedOf`, for what is a response. */
export async function summaryOf(app: TestApp, request: ResponseRequest) {
  const { status, text } = await requestResponse(app, request)
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
  return responseSummary(request.client, text)
}
