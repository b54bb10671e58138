import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { contract } from '@sluice/contract'
import { defaultPrice } from '@sluice/vendors/registry/models/prices'
import { balanceOf, closeConsistent, holdsOf, type TaskScene, taskScene } from '../../../test/task-scene.ts'
import {
  askInBatch,
  batchOutputLine,
  type FileBatchCase,
  fileBatchCases,
  setUpFileBatches,
} from '../../../test/vendors/file-batch-cases.ts'

// Batches of messages at vendors that respond to files of chats: each speaks as its own pages say (see the forms in @sluice/vendors).

const startBalance = 10_000_000

const names = Object.keys(fileBatchCases) as FileBatchCase[]

let scene: TaskScene
beforeAll(async () => {
  scene = await taskScene()
})
afterEach(async () => {
  expect(await scene.app.inconsistencies()).toEqual([])
})
afterAll(() => closeConsistent(scene))

const setUp = (name: FileBatchCase) => setUpFileBatches(scene, name, { quota: startBalance })

const failedLine = (custom_id: string) => ({
  ...{ id: 'line-x', custom_id, error: null },
  response: { status_code: 400, request_id: 'r2', body: { error: { message: 'too long', type: 'invalid_request_error' } } },
})

async function spentBy({ user }: { readonly user: Parameters<typeof balanceOf>[1] }): Promise<number> {
  return startBalance - (await balanceOf(scene.app, user))
}

async function readAll(client: Anthropic, id: string) {
  const results: Anthropic.Messages.MessageBatchIndividualResponse[] = []
  for await (const result of await client.messages.batches.results(id)) results.push(result)
  return results
}

/** The message of the error with which a call was refused. */
async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((reason: unknown) => reason)
  if (!(error instanceof Anthropic.APIError)) throw new Error('the call was not refused')
  return `${String(error.status)} ${error.message}`
}

/** A thousand tokens in and two hundred out, at the rates of each vendor for batches. */
const factors = {
  openai: 0.5,
  azure: 0.5,
  'azure-v1': 0.5,
  groq: 0.5,
  alibaba: 0.5,
  moonshot: 0.6,
  zhipu: 0.5,
  together: 1,
  novita: 1,
  mistral: 0.5,
} as const

describe.each(names)('a batch of messages at %s', (name) => {
  const { model, endpoint } = fileBatchCases[name]

  test('is a file of chats, and is charged once by the files of results', async () => {
    const one = await setUp(name)
    const { app, poll } = scene
    const { client, vendor } = one
    const created = await client.messages.batches.create({
      requests: [askInBatch('a', { model, system: 'Be short' }), askInBatch('b', { model })],
    })
    expect(created).toMatchObject({ processing_status: 'in_progress', request_counts: { processing: 2 }, results_url: null })
    const { lines, params, id } = vendor.last()
    const [first] = lines as ReadonlyArray<{
      readonly custom_id: string
      readonly url?: string
      readonly body: { readonly messages: unknown }
    }>
    expect(lines).toHaveLength(2)
    expect(first).toMatchObject({ custom_id: 'a' })
    expect(first?.url ?? endpoint).toBe(endpoint)
    expect(first?.body.messages).toEqual([
      { role: 'system', content: 'Be short' },
      { role: 'user', content: 'Hi' },
    ])
    expect(params).toMatchObject({ endpoint })
    const { authorization, 'api-key': apiKey } = app.upstream.received.findLast(({ method }) => method === 'POST')?.headers ?? {}
    expect(authorization ?? `Bearer ${String(apiKey)}`).toBe(`Bearer key-of-${name}`)
    await poll()
    expect((await client.messages.batches.retrieve(created.id)).processing_status).toBe('in_progress')
    vendor.end('completed', { output: [batchOutputLine('a', model)], errors: [failedLine('b')] })
    await poll()
    await poll()
    const ended = await client.messages.batches.retrieve(created.id)
    expect(ended).toMatchObject({ id: created.id, processing_status: 'ended' })
    // No id of the vendor's own.
    expect(JSON.stringify(ended)).not.toMatch(new RegExp(`file-|${id}"`))
    expect(await readAll(client, created.id)).toMatchObject([
      {
        custom_id: 'a',
        result: {
          type: 'succeeded',
          message: {
            ...{ type: 'message', role: 'assistant', model, stop_reason: 'end_turn', content: [{ type: 'text', text: 'Hello' }] },
            usage: { input_tokens: 1_000, output_tokens: 200, service_tier: 'batch' },
          },
        },
      },
      {
        custom_id: 'b',
        result: { type: 'errored', error: { type: 'error', error: { type: 'invalid_request_error', message: 'too long' } } },
      },
    ])
    const logged = await app.data(contract.log.list, { username: one.user.username })
    expect(logged).toMatchObject([{ kind: 'batches', prompt_tokens: 1_000, completion_tokens: 200, quota: await spentBy(one) }])
    // What a chat with the same usage costs, at the rate of batches.
    const { ratio = 0, completion = 1 } = defaultPrice(model, { yuanPerDollar: 7, nowMs: scene.clock.nowMs() }) ?? {}
    expect(ratio).toBeGreaterThan(0)
    expect(await spentBy(one)).toBe(Math.ceil((1_000 + 200 * completion) * ratio * factors[name]))
    await client.messages.batches.delete(created.id)
    expect([...vendor.files.keys()]).toEqual([])
  })
})

describe('a batch at a vendor of files', () => {
  const { model } = fileBatchCases.openai
  const tool = { name: 'look', input_schema: { type: 'object' as const, properties: {} } }

  test('applies each request’s stop sequences and tools to its response', async () => {
    const { client, vendor } = await setUp('openai')
    const requests = [
      askInBatch('plain', { model }),
      askInBatch('stops', { model, stop_sequences: ['END'] }),
      askInBatch('calls', { model, tools: [tool], tool_choice: { type: 'tool', name: 'look' } }),
    ]
    const { id } = await client.messages.batches.create({ requests })
    expect(vendor.last().lines).toMatchObject([
      { body: { model, max_completion_tokens: 100 } },
      { body: { stop: ['END'] } },
      {
        body: { tools: [{ type: 'function', function: { name: 'look' } }], tool_choice: { type: 'function', function: { name: 'look' } } },
      },
    ])
    const calls = [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }]
    const message = { role: 'assistant', content: null, tool_calls: calls }
    vendor.end('completed', {
      output: [
        batchOutputLine('calls', model, { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }),
        batchOutputLine('stops', model),
        batchOutputLine('plain', model),
      ],
    })
    await scene.poll()
    expect(await readAll(client, id)).toMatchObject([
      {
        custom_id: 'calls',
        result: { message: { stop_reason: 'tool_use', content: [{ type: 'tool_use', name: 'look', input: { at: 1 } }] } },
      },
      { custom_id: 'stops', result: { message: { content: [{ text: 'Hello' }] } } },
      { custom_id: 'plain', result: { message: { stop_reason: 'end_turn' } } },
    ])
  })

  test('hides the reasoning of the requests that want it so', async () => {
    const { client, vendor } = await setUp('groq')
    const groq = fileBatchCases.groq.model
    const thinking = { type: 'enabled' as const, budget_tokens: 1_024, display: 'omitted' as const }
    const requests = [askInBatch('shown', { model: groq }), askInBatch('hidden', { model: groq, thinking, max_tokens: 2_000 })]
    const { id } = await client.messages.batches.create({ requests })
    const message = { role: 'assistant', content: 'Hello', reasoning: 'Let me see' }
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    vendor.end('completed', { output: [batchOutputLine('shown', groq, { choices }), batchOutputLine('hidden', groq, { choices })] })
    await scene.poll()
    expect(await readAll(client, id)).toMatchObject([
      { custom_id: 'shown', result: { message: { content: [{ thinking: 'Let me see' }, { text: 'Hello' }] } } },
      { custom_id: 'hidden', result: { message: { content: [{ thinking: '' }, { text: 'Hello' }] } } },
    ])
  })

  test('of a model that calls functions only for responses is a file of responses', async () => {
    const { client, vendor } = await setUp('openai')
    const { id } = await client.messages.batches.create({
      requests: [
        askInBatch('a', {
          model: 'gpt-5.4',
          tools: [tool],
          thinking: { type: 'enabled', budget_tokens: 5_000 } as never,
          max_tokens: 9_000,
        }),
      ],
    })
    const { params, lines } = vendor.last()
    expect([params['endpoint'], lines[0]?.['url']]).toEqual(['/v1/responses', '/v1/responses'])
    const output = [
      {
        type: 'message',
        id: 'm',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Done', annotations: [] }],
      },
    ]
    const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
    const body = { id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-5.4', created_at: 1, output, usage }
    vendor.end('completed', { output: [{ ...batchOutputLine('a', ''), response: { status_code: 200, body } }] })
    await scene.poll()
    expect(await readAll(client, id)).toMatchObject([
      {
        custom_id: 'a',
        result: {
          type: 'succeeded',
          message: { content: [{ type: 'text', text: 'Done' }], usage: { input_tokens: 10, output_tokens: 5 } },
        },
      },
    ])
    const mixed = client.messages.batches.create({
      requests: [
        askInBatch('a', { model }),
        askInBatch('b', {
          model: 'gpt-5.4',
          tools: [tool],
          thinking: { type: 'enabled', budget_tokens: 5_000 } as never,
          max_tokens: 9_000,
        }),
      ],
    })
    expect(await refusal(mixed)).toMatch(/^400 .*requests\[1\]\.params\.tools/)
  })

  test('is refused by name, for nothing, where the vendor cannot fulfil a request', async () => {
    const kimi = await setUp('moonshot')
    const two = kimi.client.messages.batches.create({
      requests: [askInBatch('a', { model: 'kimi-k2.6' }), askInBatch('b', { model: 'kimi-k3' })],
    })
    expect(await refusal(two)).toMatch(/^400 .*requests\[1\]\.params\.model/)
    const source = { type: 'url' as const, url: 'https://example.com/cat.png' }
    const image = askInBatch('a', { model: 'kimi-k2.6', messages: [{ role: 'user', content: [{ type: 'image', source }] }] })
    expect(await refusal(kimi.client.messages.batches.create({ requests: [image] }))).toMatch(/^400 .*requests\[0\]\.params\.messages/)
    const glm = await setUp('zhipu')
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
    const schemaRequest = askInBatch('b', { model: 'glm-4-plus', output_config: { format: { type: 'json_schema', schema } } } as never)
    expect(
      await refusal(glm.client.messages.batches.create({ requests: [askInBatch('a', { model: 'glm-4-plus' }), schemaRequest] })),
    ).toMatch(/^400 .*requests\[1\]\.params\.output_config/)
    expect(await refusal(glm.client.messages.batches.create({ requests: [askInBatch('a', { model: 'glm-5' })] }))).toMatch(
      /^400 .*requests\[0\]\.params\.model/,
    )
    const azure = await setUp('azure-v1')
    const thinking = { type: 'enabled' as const, budget_tokens: 5_000 }
    const response = askInBatch('a', { model: 'gpt-5.4-mini', tools: [tool], thinking, max_tokens: 9_000 })
    expect(await refusal(azure.client.messages.batches.create({ requests: [response] }))).toMatch(/^400 .*requests\[0\]\.params\.tools/)
    expect([...azure.vendor.files.keys()]).toEqual([])
    expect([await spentBy(kimi), await spentBy(glm), await holdsOf(scene.app)]).toEqual([0, 0, 0])
    expect([...kimi.vendor.files.keys(), ...glm.vendor.files.keys()]).toEqual([])
  })

  test('that is canceled is charged for its responses, and one that failed or expired without any costs nothing', async () => {
    const { poll } = scene
    const stopped = await setUp('openai')
    const { id } = await stopped.client.messages.batches.create({ requests: [askInBatch('a', { model }), askInBatch('b', { model })] })
    expect(await stopped.client.messages.batches.cancel(id)).toMatchObject({ processing_status: 'canceling' })
    const cancelled = { id: 'x', custom_id: 'b', response: null, error: { code: 'batch_cancelled', message: 'stopped' } }
    stopped.vendor.end('cancelled', { output: [batchOutputLine('a', model)], errors: [cancelled] })
    await poll()
    expect((await readAll(stopped.client, id)).map(({ result }) => result.type)).toEqual(['succeeded', 'canceled'])
    expect(await spentBy(stopped)).toBeGreaterThan(0)
    const counts = { failed: 'errored', expired: 'errored', cancelled: 'canceled' } as const
    for (const status of ['failed', 'expired', 'cancelled'] as const) {
      const one = await setUp('openai')
      const batch = await one.client.messages.batches.create({ requests: [askInBatch('a', { model })] })
      one.vendor.end(status, {})
      await poll()
      expect(await one.client.messages.batches.retrieve(batch.id)).toMatchObject({
        processing_status: 'ended',
        request_counts: { [counts[status]]: 1 },
      })
      expect([await spentBy(one), await holdsOf(scene.app)]).toEqual([0, 0])
    }
  })

  test('whose file breaks off is charged once, when it can be read whole', async () => {
    const { poll, app } = scene
    const one = await setUp('openai')
    const { id } = await one.client.messages.batches.create({ requests: [askInBatch('a', { model }), askInBatch('b', { model })] })
    one.vendor.end('completed', { output: [batchOutputLine('a', model)], errors: [failedLine('b')] })
    let isBroken = true
    const { errors } = one.vendor.last()
    app.upstream.always((request) =>
      isBroken && request.path === `/v1/files/${String(errors)}/content`
        ? [{ do: 'head', status: 200 }, { do: 'cut' }]
        : one.vendor.response(request),
    )
    await poll()
    expect(await one.client.messages.batches.retrieve(id)).toMatchObject({ processing_status: 'in_progress' })
    expect([await spentBy(one), await holdsOf(app)]).toEqual([0, 1])
    isBroken = false
    await poll(10 * 60_000)
    await poll(10 * 60_000)
    expect((await readAll(one.client, id)).map(({ result }) => result.type)).toEqual(['succeeded', 'errored'])
    expect(await app.data(contract.log.list, { username: one.user.username })).toMatchObject([{ quota: await spentBy(one) }])
  })

  test('that its vendor refuses to take costs nothing', async () => {
    const { app } = scene
    const one = await setUp('openai')
    app.upstream.always((request) =>
      request.path === '/v1/batches' && request.method === 'POST'
        ? [
            { do: 'head', status: 400, headers: { 'content-type': 'application/json' } },
            {
              do: 'send',
              bytes: JSON.stringify({ error: { message: 'the model has no batches', type: 'invalid_request_error', param: 'model' } }),
            },
          ]
        : one.vendor.response(request),
    )
    expect(await refusal(one.client.messages.batches.create({ requests: [askInBatch('a', { model })] }))).toMatch(
      /^400 .*the model has no batches/,
    )
    expect([await spentBy(one), await holdsOf(app)]).toEqual([0, 0])
  })
})
