import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { events, json } from '../../../test/fake-upstream.ts'

// Containers and stored images belong to the account of a channel's key, which many clients share: a client may name those of its own responses.

const model = 'gpt-4o-mini'
const open = 'gpt-4o'
let app: TestApp
let first: number
let key: string
beforeAll(async () => {
  app = await testApp()
  first = await app.make.channel({ models: model, key: 'first-key', priority: 1 })
  await app.data(contract.channel.update, { id: first, content_of_key: false })
  const second = await app.make.channel({ models: model, key: 'second-key' })
  await app.data(contract.channel.update, { id: second, content_of_key: false })
  await app.make.channel({ models: open, key: 'open-key' })
  key = await newKey()
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

const newKey = async () => (await app.make.token(await app.make.user({ quota: 10_000_000 }), { isUnlimited: true })).key

async function ask(body: object, as = key) {
  const before = app.upstream.received.length
  const response = await app.request('/v1/responses', {
    method: 'POST',
    headers: { authorization: `Bearer ${as}` },
    body: JSON.stringify({ model, ...body }),
  })
  const text = await response.text()
  const [upstreamRequest] = app.upstream.received.slice(before)
  return {
    status: response.status,
    text,
    usedKey: upstreamRequest?.headers['authorization'],
    input: JSON.parse(upstreamRequest?.body ?? '{}').input,
  }
}

const ran = (container: string) => ({
  ...{ type: 'code_interpreter_call', id: 'ci_1', status: 'completed', code: '1', outputs: [] },
  container_id: container,
})
const shellCall = (container: string) => ({
  ...{ type: 'shell_call', id: 'sh_1', call_id: 'c', status: 'completed', action: { commands: ['ls'] } },
  environment: { type: 'container_reference', container_id: container },
})
const cited = (container: string, file: string) => ({
  ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
  content: [
    {
      type: 'output_text',
      text: 'Here',
      annotations: [{ type: 'container_file_citation', container_id: container, file_id: file, start_index: 0, end_index: 4 }],
    },
  ],
})
const image = (id: string) => ({ type: 'image_generation_call', id, status: 'completed' })
const tools = [{ type: 'code_interpreter', container: { type: 'auto' } }]
const turn = (...items: readonly object[]) => ({ tools, input: [...items, { role: 'user', content: 'And?' }] })

const response = (output: readonly object[], more: object = {}) => ({
  ...{ id: `resp_${crypto.randomUUID()}`, object: 'response', status: 'completed', model, output },
  usage: { input_tokens: 10, output_tokens: 10, total_tokens: 20 },
  ...more,
})

/** A second response with nothing in it. */
const nothing = () => json(response([]))

describe('a container of an earlier response', () => {
  test.each([
    ['code that was run', (id: string) => [ran(id)]],
    ['commands that were run', (id: string) => [shellCall(id)]],
    ['a file that is cited', (id: string) => [ran(id), cited(id, 'cfile_1')]],
  ])('may be sent back with %s, to the channel that made it, though nothing was stored', async (_, items) => {
    const output = items(`cntr_${crypto.randomUUID()}`)
    for (const more of [{}, { store: false }]) {
      app.upstream.script(json(response(output, more)))
      expect((await ask({ input: 'Run', tools, ...more })).status).toBe(200)
      app.upstream.script(nothing())
      const next = await ask({ ...turn(...output), ...more })
      expect(next).toMatchObject({ status: 200, usedKey: 'Bearer first-key' })
      expect(next.input).toEqual(turn(...output).input)
    }
  })

  test('may be sent back after a stream', async () => {
    const completed = { type: 'response.completed', response: response([ran('cntr_streamed')]) }
    app.upstream.script(events([{ type: 'response.created', response: {} }, completed]))
    await ask({ input: 'Run', tools, stream: true })
    app.upstream.script(nothing())
    expect(await ask(turn(ran('cntr_streamed')))).toMatchObject({ status: 200, usedKey: 'Bearer first-key' })
  })

  test('is no other client’s', async () => {
    app.upstream.script(json(response([ran('cntr_mine'), shellCall('cntr_shell'), cited('cntr_mine', 'cfile_mine')])))
    await ask({ input: 'Run', tools })
    const stranger = await newKey()
    for (const [item, place] of [
      [ran('cntr_mine'), 'input[0].container_id'],
      [shellCall('cntr_shell'), 'input[0].environment.container_id'],
      [cited('cntr_mine', 'cfile_mine'), 'input[0].content[0].annotations[0]'],
    ] as const) {
      const refused = await ask(turn(item), stranger)
      expect([refused.status, refused.text, refused.usedKey]).toEqual([400, expect.stringContaining(place), undefined])
    }
  })

  test('is reached at no other channel', async () => {
    app.upstream.script(json(response([ran('cntr_first')])))
    await ask({ input: 'Run', tools })
    await app.data(contract.channel.update, { id: first, status: 2 })
    expect(await ask(turn(ran('cntr_first')))).toMatchObject({ status: 409, text: expect.stringContaining('cntr_first') })
    await app.data(contract.channel.update, { id: first, status: 1 })
  })

  test('costs no prompt of its own', async () => {
    const plain = { input: [{ role: 'user', content: 'And?' }], tools }
    const usage = { input_tokens: 10, output_tokens: 5_000, total_tokens: 5_010 }
    app.upstream.script(json(response([ran('cntr_free')], { usage })))
    await ask({ input: 'Run', tools })
    const promptOf = async (body: object) => {
      app.upstream.script(json(response([], { usage: null })))
      await ask(body)
      await app.app.ledger.drain()
      const [row] = await app.data(contract.log.list, { type: 2 })
      return row?.prompt_tokens ?? 0
    }
    const item = ran('cntr_free')
    const known = await promptOf(turn(item))
    const unnamed = await promptOf({ ...plain, input: [{ ...item, container_id: null }, ...plain.input] })
    expect(known - unnamed).toBeLessThan(40)
  })
})

describe('an image of an earlier response', () => {
  test('may be named by its id, by nobody else', async () => {
    const result = { ...image('ig_mine'), result: 'iVBORw0KGgo=' }
    app.upstream.script(json(response([result])))
    expect((await ask({ input: 'Draw', tools: [{ type: 'image_generation' }] })).status).toBe(200)
    app.upstream.script(nothing())
    expect(await ask(turn(image('ig_mine')))).toMatchObject({ status: 200, usedKey: 'Bearer first-key' })
    const stranger = await ask(turn(image('ig_mine')), await newKey())
    expect([stranger.status, stranger.text, stranger.usedKey]).toEqual([400, expect.stringContaining('input[0].id'), undefined])
  })

  test('that is brought along needs no id of an earlier response', async () => {
    app.upstream.script(nothing())
    expect((await ask(turn({ ...image('ig_elsewhere'), result: 'iVBORw0KGgo=' }))).status).toBe(200)
  })
})

describe('an item that its vendor has stored', () => {
  const request = { type: 'mcp_approval_request', id: 'mcpr_mine', server_label: 's', name: 'f', arguments: '{}' }
  const approval = { type: 'mcp_approval_response', approval_request_id: 'mcpr_mine', approve: true }
  const ownItems = [
    { type: 'reasoning', id: 'rs_mine', summary: [] },
    { ...cited('cntr_0', 'cfile_0'), id: 'msg_mine', content: [{ type: 'output_text', text: 'Hi', annotations: [] }] },
    { type: 'web_search_call', id: 'ws_mine', status: 'completed', action: { type: 'search', query: 'x' } },
    request,
  ]
  const references = [
    { type: 'reasoning', id: 'rs_mine', summary: [] },
    { type: 'reasoning', id: 'rs_mine', summary: [{ type: 'summary_text', text: 'So' }] },
    { type: 'message', id: 'msg_mine', role: 'assistant' },
    { type: 'web_search_call', id: 'ws_mine', status: 'completed' },
    approval,
  ]

  test.each(references)('may be named by whom it was made for, and by nobody else: %j', async (item) => {
    app.upstream.script(json(response(ownItems)))
    expect((await ask({ input: 'Think' })).status).toBe(200)
    app.upstream.script(nothing())
    expect(await ask(turn(item))).toMatchObject({ status: 200, usedKey: 'Bearer first-key' })
    const stranger = await ask(turn(item), await newKey())
    expect([stranger.status, stranger.text, stranger.usedKey]).toEqual([400, expect.stringContaining('input[0].id'), undefined])
  })

  test('is brought along with what it says', async () => {
    const reasoning = { type: 'reasoning', id: 'rs_elsewhere' }
    for (const items of [
      [{ ...reasoning, summary: [], encrypted_content: 'secret' }],
      [{ ...reasoning, summary: [], content: [{ type: 'reasoning_text', text: 'So' }] }],
      [request, approval],
      ownItems.slice(1, 3),
    ]) {
      app.upstream.script(nothing())
      expect((await ask(turn(...items), await newKey())).status).toBe(200)
    }
  })

  test('is not found by a chat with reasoning that brings no text', async () => {
    const channel = await app.make.channel({ models: 'gpt-6-sol', key: 'chat-key' })
    await app.data(contract.channel.update, { id: channel, content_of_key: false })
    const reasoning = [
      { id: 'rs_victim', summary: [] },
      { id: 'rs_mine', summary: [], encrypted_content: 'secret' },
    ]
    const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [{ ...call, extra_content: { openai: { reasoning: reasoning } } }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'x' },
    ]
    const parameters = { type: 'object', properties: {} }
    app.upstream.script(json({ ...response([]), model: 'gpt-6-sol' }))
    const before = app.upstream.received.length
    await app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: 'gpt-6-sol', messages, tools: [{ type: 'function', function: { name: 'f', parameters } }] }),
    })
    const [upstreamRequest] = app.upstream.received.slice(before)
    expect(upstreamRequest?.path).toContain('/responses')
    expect(upstreamRequest?.body).toContain('rs_mine')
    expect(upstreamRequest?.body).not.toContain('rs_victim')
  })
})

test('a channel whose setting says so takes what nobody knows, and a tool reads nothing of the account elsewhere', async () => {
  const victim = { type: 'container_reference', container_id: 'cntr_victim' }
  const bodies = [
    [turn(ran('cntr_victim')), 'input[0].container_id'],
    [turn(image('ig_victim')), 'input[0].id'],
    [turn({ type: 'reasoning', id: 'rs_victim', summary: [] }), 'input[0].id'],
    [{ input: 'Hi', tools: [{ type: 'shell', environment: victim }] }, 'tools[0].environment.container_id'],
    [
      turn({ type: 'additional_tools', tools: [{ type: 'shell', environment: { type: 'container_auto', file_ids: ['file-1'] } }] }),
      'input[0].tools[0].environment.file_ids',
    ],
    [
      {
        input: 'Hi',
        tools: [
          { type: 'namespace', name: 'g', description: 'd', tools: [{ type: 'image_generation', input_image_mask: { file_id: 'f' } }] },
        ],
      },
      'tools[0].tools[0].input_image_mask.file_id',
    ],
  ] as const
  for (const [body, place] of bodies) {
    const refused = await ask(body)
    expect([refused.status, refused.text, refused.usedKey]).toEqual([400, expect.stringContaining(place), undefined])
    app.upstream.script(nothing())
    expect(await ask({ ...body, model: open })).toMatchObject({ status: 200, usedKey: 'Bearer open-key' })
  }
})
