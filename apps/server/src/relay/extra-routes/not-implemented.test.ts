import { afterAll, beforeAll, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { type TestApp, testApp } from '../../../test/app.ts'

let app: TestApp
let key: string
beforeAll(async () => {
  app = await testApp()
  key = (await app.make.token(await app.make.user())).key
})
afterAll(() => app.close())

async function refusal(method: string, path: string, authorization: string): Promise<readonly unknown[]> {
  const response = await app.request(path, { method, headers: { authorization } })
  // Holds: the relay sends every refusal in this form.
  const { error } = (await response.json()) as { error: Record<string, unknown> }
  return [response.status, error['type'], error['code'], error['message']]
}

test.each([
  ['GET', '/v1/files'],
  ['GET', '/v1/files/file-1/content'],
  ['POST', '/v1/uploads/upload-1/parts'],
  ['POST', '/v1/fine_tuning/jobs'],
  ['GET', '/v1/fine_tuning/jobs/ftjob-1/events'],
  ['DELETE', '/v1/fine-tunes/ft-1'],
  ['POST', '/v1/batches/batch-1/cancel'],
  ['PATCH', '/v1/assistants/asst-1'],
  ['POST', '/v1/threads/thread-1/runs/run-1/submit_tool_outputs'],
  ['PUT', '/v1/vector_stores/vs-1/files'],
  ['POST', '/v1/conversations'],
  ['GET', '/v1/conversations/conv-1/items'],
  ['DELETE', '/v1/models/gpt-4o'],
  ['DELETE', '/v1/models/ft:gpt-4o/mine'],
])('%s %s is said to be not implemented, to a good token only and without any channel', async (method, path) => {
  expect(await refusal(method, path, `Bearer ${key}`)).toEqual([
    501,
    'invalid_request_error',
    'api_not_implemented',
    `${method} ${path} is not supported by this server`,
  ])
  expect(await refusal(method, path, 'Bearer sk-nobody')).toEqual([401, 'authentication_error', 'token_invalid', 'Invalid API key'])
})

test('a path that only begins like one of them is unknown', async () => {
  expect(await refusal('GET', '/v1/filesystem', `Bearer ${key}`)).toEqual([
    404,
    'invalid_request_error',
    'unknown_url',
    'Invalid URL (GET /v1/filesystem)',
  ])
})

test('the official client does not retry', async () => {
  const client = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1` })
  const refused = await client.files.list().catch((error: unknown) => error)
  expect(refused).toMatchObject({ status: 501, code: 'api_not_implemented' })
})
