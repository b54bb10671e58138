import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../../test/app.ts'
import { json } from '../../../../test/fake-upstream.ts'

let app: TestApp
let key: string
beforeAll(async () => {
  app = await testApp()
  key = (await app.make.token(await app.make.user({ quota: 1_000 }), { isUnlimited: true })).key
})
afterAll(async () => {
  await app.close()
})

const textHeaders = { 'content-type': 'application/json' }
/** Code that turns it into a text throws. */
const noText = { toString: 1, valueOf: 1 }

const call = (path: string, headers: Record<string, string> = {}, method = 'POST'): Promise<Response> =>
  app.request(path, { method, headers })

describe('an error', () => {
  test('has OpenAI’s form on the routes that belong to no other protocol', async () => {
    const response = await call('/v1/nothing', { authorization: `Bearer ${key}` })
    expect(response.status).toBe(404)
    expect(response.headers.get('request-id')).toBeNull()
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', code: 'unknown_url' } })
  })

  test('has Anthropic’s form below its path, whether there is a route or not, with the id in both headers', async () => {
    const response = await call('/v1/messages/nothing/here', { 'x-api-key': key })
    expect(response.status).toBe(404)
    const id = response.headers.get('x-request-id')
    expect(response.headers.get('request-id')).toBe(id)
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type: 'not_found_error', message: expect.stringContaining('/v1/messages/nothing/here') },
      request_id: id,
    })
  })

  test('of admission has the type of its status', async () => {
    const response = await call('/v1/models', { 'anthropic-version': '2023-06-01' }, 'GET')
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'authentication_error' } })
  })

  test('has Google’s form below its path, with the reason, the field and the time to wait', async () => {
    const contents = [{ parts: [{ text: 'Hi' }] }]
    const ask = (path: string, body: object, headers: Record<string, string> = { 'x-goog-api-key': key }) =>
      app.request(path, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) })
    const form = async (response: Response) => ({ httpStatus: response.status, body: await response.json() })
    expect(await form(await ask('/v1beta/nothing', {}))).toMatchObject({
      httpStatus: 404,
      body: { error: { code: 404, status: 'NOT_FOUND', message: expect.stringContaining('/v1beta/nothing') } },
    })
    expect(await form(await ask('/v1/models/m:generateContent', {}, {}))).toMatchObject({
      body: { error: { code: 401, status: 'UNAUTHENTICATED' } },
    })
    const wrong = await form(await ask('/v1beta/models/m:generateContent', {}))
    expect(wrong).toMatchObject({ httpStatus: 400, body: { error: { status: 'INVALID_ARGUMENT' } } })
    expect(JSON.stringify(wrong.body)).toContain('"fieldViolations":[{"field":"contents"}]')
    const unknown = await form(await ask(`/v1beta/models/m:streamGenerateContent?alt=sse&key=${key}`, { contents }, {}))
    expect(unknown).toMatchObject({ httpStatus: 404, body: { error: { status: 'NOT_FOUND' } } })
    expect(JSON.stringify(unknown.body)).toContain('"reason":"MODEL_NOT_FOUND"')
  })
})

test('a model whose name holds a colon is shown to clients of OpenAI in their form', async () => {
  await app.make.channel({ models: 'llama3:latest' })
  const response = await call('/v1/models/llama3:latest', { authorization: `Bearer ${key}` }, 'GET')
  expect(await response.json()).toMatchObject({ id: 'llama3:latest', object: 'model' })
  const missing = await call('/v1/models/free:model', { authorization: `Bearer ${key}` }, 'GET')
  expect(await missing.json()).toMatchObject({ error: { type: 'invalid_request_error', code: 'model_not_found' } })
})

describe('members that are no texts are no fault of the gateway', () => {
  const ask = async (path: string, body: object) => {
    const response = await app.request(path, { method: 'POST', headers: { ...textHeaders, 'x-api-key': key }, body: JSON.stringify(body) })
    await response.text()
    return response.status
  }

  test.each(['functionCall', 'functionResponse'])('as the name of a %s', async (member) => {
    const contents = [{ parts: [{ [member]: { name: noText } }] }]
    for (const method of ['generateContent', 'streamGenerateContent', 'countTokens'])
      expect(await ask(`/v1beta/models/m:${method}`, { contents })).toBe(404)
  })

  test('as the type of an edit of the context', async () => {
    await app.make.channel({ type: 14, models: 'claude-sonnet-4-5' })
    app.upstream.script(json({ input_tokens: 3 }))
    const context = { context_management: { edits: [{ type: noText }] } }
    const body = { model: 'claude-sonnet-4-5', messages: [{ role: 'user', content: 'Hi' }], ...context }
    expect(await ask('/v1/messages/count_tokens', body)).toBe(200)
  })
})

test('a member of Google’s protocol in both of its cases is refused: the vendor may read the one that is not charged', async () => {
  const contents = [{ parts: [{ text: 'Hi' }] }]
  const config = { maxOutputTokens: 5 }
  const twice: [string, object][] = [
    ['maxOutputTokens', { contents, generationConfig: { ...config, max_output_tokens: 60_000 } }],
    ['candidateCount', { contents, generationConfig: { candidateCount: 1, candidate_count: 8 } }],
    ['generationConfig', { contents, generationConfig: config, generation_config: {} }],
  ]
  for (const [name, body] of twice) {
    const headers = { ...textHeaders, 'x-goog-api-key': key }
    const response = await app.request('/v1beta/models/m:generateContent', { method: 'POST', headers, body: JSON.stringify(body) })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(`"fieldViolations":[{"field":"${name}"}]`)
  }
})

test('a content or part of Google’s protocol that is no object is refused by its place, and is not dropped', async () => {
  const parts = [{ text: 'Hi' }]
  const odd: [string, object][] = [
    ['contents[1]', { contents: [{ parts }, 'Hi'] }],
    ['contents[0].parts[1]', { contents: [{ parts: [...parts, 'there'] }] }],
    ['contents.parts[0]', { contents: { parts: ['Hi'] } }],
    ['systemInstruction', { contents: [{ parts }], systemInstruction: 'Be brief' }],
    ['systemInstruction.parts[0]', { contents: [{ parts }], system_instruction: { parts: ['Be brief'] } }],
  ]
  for (const [name, body] of odd) {
    const headers = { ...textHeaders, 'x-goog-api-key': key }
    const response = await app.request('/v1beta/models/m:generateContent', { method: 'POST', headers, body: JSON.stringify(body) })
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(`"fieldViolations":[{"field":"${name}"}]`)])
  }
})
