import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'

let app: TestApp
let token: string
beforeAll(async () => {
  app = await testApp()
  token = (await app.make.token(await app.make.user({ quota: 1_000_000_000 }))).key
})
afterAll(() => app.close())

/** The headers of the request that a chat with this model is sent as. */
async function upstreamHeaders(model: string, stream = false): Promise<Readonly<Record<string, unknown>>> {
  const response = await app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Hi' }] }),
  })
  await response.text()
  const { authorization, accept, 'x-own': own } = app.upstream.received.at(-1)?.headers ?? {}
  return { authorization, accept, own }
}

test('headers are those of the channel and the call, also after many requests and a change of the channel', async () => {
  const id = await app.make.channel({ models: 'gpt-4o-mini', key: 'first-key-1' })
  await app.make.channel({ models: 'gpt-4o', key: 'other-key-1' })
  const whole = { authorization: 'Bearer first-key-1', accept: 'application/json' }
  for (let turn = 0; turn < 2; turn += 1) {
    expect(await upstreamHeaders('gpt-4o-mini')).toEqual(whole)
    expect(await upstreamHeaders('gpt-4o-mini', true)).toEqual({ ...whole, accept: 'text/event-stream' })
    expect(await upstreamHeaders('gpt-4o')).toEqual({ ...whole, authorization: 'Bearer other-key-1' })
  }
  await app.data(contract.channel.update, { id, key: 'second-key-1' })
  expect(await upstreamHeaders('gpt-4o-mini')).toEqual({ ...whole, authorization: 'Bearer second-key-1' })
  await app.data(contract.channel.update, { id, headers: JSON.stringify({ 'X-Own': 'a {api_key}' }) })
  expect(await upstreamHeaders('gpt-4o-mini')).toEqual({ ...whole, authorization: 'Bearer second-key-1', own: 'a second-key-1' })
})
