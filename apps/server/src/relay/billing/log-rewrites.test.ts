import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, en, rewriteKinds } from '@sluice/contract'
import { rewriteKinds as kindsOfVendors } from '@sluice/vendors/core/rewrites'
import { type TestApp, testApp } from '../../../test/app.ts'
import { until } from '../../../test/channel-scene.ts'
import { chatResponse, chatStream, json, type Script } from '../../../test/fake-upstream.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const mistral = 28
const claude = 14

/** An account with channels, highest priority first, and the log row of its only request. */
async function scene(
  channels: ReadonlyArray<{ readonly type: number; readonly script?: Script; readonly off?: string; readonly key?: string }>,
) {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups, quota: 10_000_000 })
  const { key } = await app.make.token(user, { isUnlimited: true })
  for (const [index, { type, script, off = '', key: vendorKey = 'key' }] of channels.entries()) {
    const id = await app.make.channel({ groups, type, priority: -index, models: 'gpt-4o-mini', key: vendorKey })
    await app.data(contract.channel.update, { id, rewrites_off: off })
    if (script !== undefined) app.upstream.script(script)
  }
  async function ask(body: object, path = '/v1/chat/completions') {
    const headers = { authorization: `Bearer ${key}` }
    const chat = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }], ...body }
    const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(chat) })
    await response.text()
    const rows = await until(
      () => app.data(contract.log.list, { type: 2, username: user.username }),
      ({ length }) => length > 0,
    )
    return { status: response.status, row: rows[0], upstreamBody: app.upstream.received.at(-1)?.body }
  }
  return { user, ask }
}

test('the contract and the vendors know the same kinds of rewriting', () => {
  expect([...rewriteKinds]).toEqual([...kindsOfVendors])
})

describe('what was changed in a request', () => {
  test('stands in its log row, for administrators and for the user', async () => {
    const { user, ask } = await scene([{ type: mistral, script: json(chatResponse()) }])
    const { row, upstreamBody } = await ask({ logit_bias: { 5: 1 }, messages: [{ role: 'developer', content: 'Be brief' }] })
    const rewrites = [
      { kind: 'messages', what: 'role: developer -> system' },
      { kind: 'parameters', what: 'logit_bias' },
    ]
    expect(row?.rewrites).toEqual(rewrites as never)
    expect(JSON.parse(String(upstreamBody))).not.toHaveProperty('logit_bias')
    const [own] = await app.data(contract.log.listSelf, {}, user)
    expect(own?.rewrites).toEqual(rewrites as never)
  })

  test('is nothing where nothing was changed', async () => {
    const { ask } = await scene([{ type: mistral, script: json(chatResponse()) }])
    expect((await ask({ temperature: 0.5, max_tokens: 10 })).row?.rewrites).toEqual([])
  })

  test('is noted of a stream, and of a client of another protocol', async () => {
    const { ask } = await scene([{ type: mistral, script: chatStream(['Hi']) }])
    const { row } = await ask({ stream: true, max_tokens: 10, top_k: 5 }, '/v1/messages')
    expect(row?.rewrites).toEqual([{ kind: 'parameters', what: 'top_k' }])
  })

  test.each([
    ['Claude', claude],
    ['Gemini', 24],
    ['Nova', 33],
  ])('has the instructions in the middle that %s reads as words of the user', async (_, type) => {
    const { ask } = await scene([{ type, script: json({ message: 'no' }, 400), key: 'id|secret|us-east-1' }])
    const messages = [
      { role: 'system', content: 'You help.' },
      { role: 'user', content: 'Hi' },
      { role: 'developer', content: 'Be brief' },
    ]
    expect((await ask({ messages, max_tokens: 10 })).row?.rewrites).toEqual([{ kind: 'messages', what: 'role system -> user' }])
  })

  test('is that of the attempt that succeeded', async () => {
    const { ask } = await scene([
      { type: claude, script: json({ type: 'error', error: { type: 'api_error', message: 'down' } }, 500) },
      { type: mistral, script: json(chatResponse()) },
    ])
    const { status, row } = await ask({ frequency_penalty: 0.5, logit_bias: { 5: 1 } })
    expect([status, row?.attempts]).toEqual([200, 2])
    expect(row?.rewrites).toEqual([{ kind: 'parameters', what: 'logit_bias' }])
  })

  test('is that of the last attempt where none succeeded', async () => {
    const { ask } = await scene([{ type: claude, script: json({ type: 'error', error: { type: 'api_error', message: 'down' } }, 500) }])
    const { status, row } = await ask({ seed: 7 })
    expect([status, row?.end_reason]).toEqual([502, 'failed'])
    expect(row?.rewrites).toEqual([{ kind: 'parameters', what: 'seed' }])
  })

  test('has what the vendor refused and the second request left out', async () => {
    const refused = { type: 'invalid_request_error', message: 'messages.1.content.0: Invalid `signature` in `thinking` block' }
    const { ask } = await scene([{ type: claude, script: json({ type: 'error', error: refused }, 400) }])
    const response = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn' }
    app.upstream.script(json({ ...response, content: [{ type: 'text', text: 'Hi' }], usage: { input_tokens: 9, output_tokens: 1 } }))
    const reasoning = { type: 'thinking', thinking: 'Greet.', signature: 'of-another-vendor' }
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [reasoning, { type: 'text', text: 'Hi' }] },
      { role: 'user', content: 'Again' },
    ]
    const { status, row } = await ask({ max_tokens: 10, messages }, '/v1/messages')
    expect([status, row?.rewrites]).toEqual([200, [{ kind: 'messages', what: 'assistant: content: thinking' }]])
  })

  test('keeps hostile names of tools as text, and only the first changes', async () => {
    const { ask } = await scene([{ type: claude, script: json({ type: 'error', error: { type: 'api_error', message: 'down' } }, 500) }])
    const names = ['<b>\u202egnp\u0000\ud83d', ...Array.from({ length: 40 }, (_, index) => `dotted.name.${index}${'x'.repeat(300)}`)]
    const { row } = await ask({ tools: names.map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } })) })
    expect(row?.rewrites).toHaveLength(20)
    expect(row?.rewrites[0]?.what).toStartWith('<b>\u202egnp\u0000\ufffd -> ')
    for (const { kind, what } of row?.rewrites ?? []) expect([kind, what.length <= 160]).toEqual(['tool_names', true])
  })
})

describe('a kind that a channel switches off', () => {
  test('leaves the request unchanged', async () => {
    const { ask } = await scene([{ type: mistral, off: 'parameters,messages', script: json(chatResponse()) }])
    const { row, upstreamBody } = await ask({ logit_bias: { 5: 1 } })
    expect(JSON.parse(String(upstreamBody))).toMatchObject({ logit_bias: { 5: 1 } })
    expect(row?.rewrites).toEqual([])
  })

  test('is one of the list, and is stored without doubles', async () => {
    const id = await app.make.channel({})
    expect(await app.data(contract.channel.update, { id, rewrites_off: ' files,, tools ,files' })).toMatchObject({
      rewrites_off: 'files,tools',
    })
    expect(await app.call(contract.channel.update, { id, rewrites_off: 'tools,everything' })).toMatchObject({
      success: false,
      message: en.rewrites_off_invalid,
    })
    expect(await app.data(contract.channel.get, { id })).toMatchObject({ rewrites_off: 'files,tools' })
    expect(await app.data(contract.channel.update, { id, rewrites_off: '' })).toMatchObject({ rewrites_off: '' })
  })
})
