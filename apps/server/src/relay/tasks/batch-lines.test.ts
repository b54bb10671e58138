import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { defaultPrice } from '@sluice/vendors/registry/models/prices'
import { batchScene, succeeded } from '../../../test/batch-scene.ts'
import { setOptions } from '../../../test/channel-scene.ts'
import { json } from '../../../test/fake-upstream.ts'
import { balanceOf, closeConsistent, holdsOf, type TaskScene, taskScene } from '../../../test/task-scene.ts'
import {
  askInBatch,
  batchOutputLine,
  type FileBatchCase,
  fileBatchCases,
  setUpFileBatches,
} from '../../../test/vendors/file-batch-cases.ts'

// A line of a batch is admitted, reserved and judged as a request that is sent alone.

const startBalance = 100_000_000

let scene: TaskScene
beforeAll(async () => {
  scene = await taskScene()
  // Whatever is reserved alone is reserved in full, and for each line.
  await setOptions(scene.app, { UncoveredQuotaMax: 0, PreConsumedQuota: 0 })
})
afterEach(async () => {
  expect(await scene.app.inconsistencies()).toEqual([])
})
afterAll(() => closeConsistent(scene))

const setUp = (name: FileBatchCase) => setUpFileBatches(scene, name, { quota: startBalance })

const spentBy = async ({ user }: { readonly user: Parameters<typeof balanceOf>[1] }): Promise<number> =>
  startBalance - (await balanceOf(scene.app, user))

interface BodyOptions extends Pick<TaskScene, 'app'> {
  readonly body: object
}

/** The status and the message of a response. */
async function outcomeOf(
  key: string,
  path: string,
  { body, app }: BodyOptions,
): Promise<{ readonly status: number; readonly message: string }> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
  // Holds: errors of this protocol have this form.
  const { error } = (await response.json()) as { readonly error?: { readonly message: string } }
  return { status: response.status, message: error?.message ?? '' }
}

interface Line {
  readonly model: string
  readonly [name: string]: unknown
}

const alone = (key: string, line: Line, app = scene.app) =>
  outcomeOf(key, '/v1/messages', { body: { max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }], ...line }, app })
const inBatch = (key: string, lines: readonly Line[], app = scene.app) =>
  outcomeOf(key, '/v1/messages/batches', { body: { requests: lines.map((line, index) => askInBatch(`line-${index}`, line)) }, app })

const search = { type: 'web_search_20250305', name: 'web_search' }
const content = (...blocks: readonly object[]) => ({ messages: [{ role: 'user', content: blocks }] })
const long = 'a secret prompt '.repeat(1_000)

const forms: Readonly<Record<string, object>> = {
  bash: { tools: [{ type: 'bash_20250124', name: 'bash' }] },
  'code execution': { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] },
  'code execution beside a function': {
    tools: [
      { name: 'f', input_schema: { type: 'object' } },
      { type: 'code_execution_20250825', name: 'code_execution' },
    ],
  },
  memory: { tools: [{ type: 'memory_20250818', name: 'memory' }] },
  'an editor': { tools: [{ type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' }] },
  'a computer': { tools: [{ type: 'computer_20250124', name: 'computer', display_width_px: 9, display_height_px: 9 }] },
  'a search of tools': { tools: [{ type: 'tool_search_tool_bm25_20251119', name: 't' }] },
  'a fetch of pages': { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] },
  'a search': { tools: [search] },
  'a search that is limited': { tools: [{ ...search, max_uses: 1 }] },
  'a search that is forced': { tools: [search], tool_choice: { type: 'tool', name: 'web_search' } },
  'a search without some pages': { tools: [{ ...search, blocked_domains: ['example.com'] }] },
  'an MCP server': {
    mcp_servers: [{ type: 'url', url: 'https://a.example/', name: 'a' }],
    tools: [{ type: 'mcp_toolset', mcp_server_name: 'a' }],
  },
  'a tool that nobody knows': { tools: [{ type: 'super_20270101', name: 'super' }] },
  'a container': { container: 'container_1' },
  'a speed': { speed: 'fast' },
  'a region': { inference_geo: 'us' },
  'a tier': { service_tier: 'priority' },
  'a member that nobody knows': { turbo: true },
  'a picture of the key’s account': content({ type: 'image', source: { type: 'file', file_id: 'file_1' } }),
  'a document of the key’s account': content({ type: 'document', source: { type: 'file', file_id: 'file_1' } }),
  'a document by its address': content({ type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } }),
  'many stop words': { stop_sequences: ['a', 'b', 'c', 'd', 'e', 'f'] },
  'a tool that must be called': { tools: [{ name: 'f', input_schema: { type: 'object' } }], tool_choice: { type: 'any' } },
  'turns of an MCP tool': {
    messages: [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: [{ type: 'mcp_tool_use', id: 'b', name: 'x', input: {}, server_name: 'a' }] },
    ],
  },
  'thoughts within the limit': { max_tokens: 4_000, thinking: { type: 'enabled', budget_tokens: 2_000 } },
  'thoughts beyond the limit': { max_tokens: 500, thinking: { type: 'enabled', budget_tokens: 30_000 } },
  'no thoughts': { max_tokens: 500, thinking: { type: 'disabled' } },
  'a level of thoughts': { output_config: { effort: 'high' } },
  'a long schema': {
    output_config: {
      format: { type: 'json_schema', schema: { type: 'object', properties: { a: { type: 'string', description: long } } } },
    },
  },
  'a picture': content({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }),
}

/**
 * Of those that a single request may have: a schema that a vendor gets in the prompt is checked in its responses, which batches cannot do, and batches
 * have one tier.
 */
const isOtherInBatches = (name: FileBatchCase, form: string): boolean =>
  batchesOnly.has(form) || (name === 'zhipu' && form === 'a long schema')
const batchesOnly: ReadonlySet<string> = new Set(['a tier', 'a speed'])

const quotaIn = (message: string): string => /at least ([\d,]+)/.exec(message)?.[1] ?? message

/** The parameter that an error names, or the place of the tool. */
function parameterIn(message: string): string {
  const [, ofTool, other = message] = /^Tool \S+ \((\S+)\)|^Unsupported parameter: (\S+?)\.?(?: |$)/.exec(message) ?? []
  return ofTool ?? other
}

test('a line of a batch that is passed on is refused by the name of the same parameter as alone, and reserves the same', async () => {
  const batches = await batchScene()
  const { app, mapped: model, key } = batches
  await setOptions(app, { UncoveredQuotaMax: 0, PreConsumedQuota: 0, PriceRules: JSON.stringify({ [model]: { like: model, batch: 1 } }) })
  app.upstream.fallback(() => json(JSON.parse(succeeded('a')).result.message))
  const seen = { refused: [] as string[], taken: [] as string[] }
  for (const [form, members] of Object.entries(forms)) {
    if (batchesOnly.has(form)) continue
    const line = { model, ...members }
    const single = await alone(key, line, app)
    const { key: poor } = await app.make.token(await app.make.user({ quota: 1 }), { isUnlimited: true })
    if (single.status === 200) {
      seen.taken.push(form)
      const [one, batched] = [await alone(poor, line, app), await inBatch(poor, [line], app)]
      expect([form, batched.status, quotaIn(batched.message)]).toEqual([form, 403, quotaIn(one.message)])
    } else {
      seen.refused.push(form)
      const { status, message } = await inBatch(key, [line], app)
      expect([form, status, message]).toEqual([
        form,
        400,
        expect.stringContaining(`params.${parameterIn(single.message)} (custom_id line-0)`),
      ])
    }
  }
  expect(seen.refused).toContain('a member that nobody knows')
  expect(seen.taken).toContain('a search')
  expect(await inBatch(key, [{ model, speed: 'fast' }], app)).toMatchObject({
    status: 400,
    message: expect.stringContaining('params.speed'),
  })
  await closeConsistent(batches)
})

describe.each(Object.keys(fileBatchCases) as FileBatchCase[])('a line of a batch at %s', (name) => {
  const { model } = fileBatchCases[name]
  const taken = json({
    ...{ id: 'c', object: 'chat.completion', created: 1, model },
    choices: [{ index: 0, message: { role: 'assistant', content: '{"a":"b"}' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
  })

  test('is refused by the name of the same parameter as alone, for nothing', async () => {
    const { vendor, key, account } = await setUp(name)
    const { key: poor } = await account(1)
    scene.app.upstream.fallback(() => taken)
    const refused: string[] = []
    for (const [form, members] of Object.entries(forms)) {
      const line = { model, ...members }
      const single = await alone(key, line)
      if (single.status === 200) continue
      expect([form, single.status]).toEqual([form, 400])
      const batched = await inBatch(key, [{ model }, line])
      expect([form, batched.status, batched.message]).toEqual([
        form,
        400,
        expect.stringContaining(`requests[1].params.${parameterIn(single.message)} (custom_id line-1)`),
      ])
      refused.push(form)
      // What is wrong with a request is reported before what it costs.
      if ((await alone(poor, line)).status === 400) expect([form, (await inBatch(poor, [line])).status]).toEqual([form, 400])
    }
    expect(refused).toContain('bash')
    expect(refused).toContain('code execution beside a function')
    expect([[...vendor.files.keys()], await holdsOf(scene.app)]).toEqual([[], 0])
  })

  test('reserves what it reserves alone: tools, reasoning, schemas and images', async () => {
    // Without the discount both are the same number.
    await setOptions(scene.app, { PriceRules: JSON.stringify({ [model]: { like: model, batch: 1 } }) })
    const [{ key }, { account }] = [await setUp(name), await setUp(name)]
    scene.app.upstream.fallback(() => taken)
    for (const [form, members] of Object.entries(forms)) {
      const line = { model, ...members }
      if ((await alone(key, line)).status !== 200 || isOtherInBatches(name, form)) continue
      const { key: poor } = await account(1)
      const single = await alone(poor, line)
      expect([form, single.status]).toEqual([form, 403])
      expect([form, quotaIn((await inBatch(poor, [line])).message)]).toEqual([form, quotaIn(single.message)])
    }
    await setOptions(scene.app, { PriceRules: '{}' })
  })
})

test('the vendor is sent the budget of reasoning that is reserved', async () => {
  const { client, vendor } = await setUp('alibaba')
  const budgets = [1, 1_024, 13_000, 30_000]
  const lines = budgets.map((budget_tokens) => ({ model: 'qwen-plus', thinking: { type: 'enabled' as const, budget_tokens } }))
  await client.messages.batches.create({ requests: lines.map((line, index) => askInBatch(`line-${index}`, line)) })
  const body = { model: 'qwen-plus', max_tokens: 100, enable_thinking: true }
  expect(vendor.last().lines).toMatchObject(budgets.map((thinking_budget) => ({ body: { ...body, thinking_budget } })))
})

describe('reasoning that no limit bounds', () => {
  const model = 'qwen-plus'
  const thinking = { type: 'enabled' as const, budget_tokens: 30_000 }
  const reasoning = 'Let me see. '.repeat(5_000)
  const chat = { role: 'assistant', content: 'Hello', reasoning_content: reasoning }
  const choices = [{ index: 0, message: chat, finish_reason: 'stop' }]
  const usage = {
    ...{ prompt_tokens: 5, completion_tokens: 25_001, total_tokens: 25_006 },
    completion_tokens_details: { reasoning_tokens: 25_000 },
  }
  const line = { model, max_tokens: 500, thinking }

  async function chargedFor(result: object) {
    const one = await setUp('alibaba')
    await one.client.messages.batches.create({ requests: [askInBatch('a', line)] })
    one.vendor.end('completed', { output: [batchOutputLine('a', model, { choices, ...result })] })
    await scene.poll()
    const [row] = await scene.app.data(contract.log.list, { username: one.user.username })
    return { one, row, charged: await spentBy(one) }
  }

  const { ratio = 0, thinking: dear = 0 } = defaultPrice(model, { yuanPerDollar: 7, nowMs: 0 }) ?? {}

  test('is charged as the vendor counts it, at half of what it costs alone', async () => {
    const { one, row, charged } = await chargedFor({ usage })
    expect(dear).toBeGreaterThan(0)
    expect(charged).toBe(Math.ceil((5 + 25_001 * dear) * ratio * 0.5))
    expect(row).toMatchObject({ completion_tokens: 25_001, quota: charged })
    scene.app.upstream.fallback(() => json({ id: 'c', object: 'chat.completion', created: 1, model, choices, usage }))
    await alone(one.key, line)
    expect(await spentBy(one)).toBe(charged + Math.ceil((5 + 25_001 * dear) * ratio))
  })

  test('is charged as reasoning where the vendor counts nothing, or an impossible amount', async () => {
    for (const reportedUsage of [null, { ...usage, completion_tokens: 9_999_999, total_tokens: 10_000_004 }]) {
      const { row, charged } = await chargedFor({ usage: reportedUsage })
      const { prompt_tokens: prompt = 0, completion_tokens: completion = 0 } = row ?? {}
      expect(completion).toBeGreaterThan(15_000)
      expect(charged).toBe(Math.ceil((prompt + completion * dear) * ratio * 0.5))
    }
  })

  test('is not charged beyond the limit and its budget, where nothing was counted', async () => {
    const one = await setUp('alibaba')
    const small = { ...line, thinking: { type: 'enabled' as const, budget_tokens: 1_024 } }
    await one.client.messages.batches.create({ requests: [askInBatch('a', small)] })
    one.vendor.end('completed', { output: [batchOutputLine('a', model, { choices, usage: null })] })
    await scene.poll()
    expect(await scene.app.data(contract.log.list, { username: one.user.username })).toMatchObject([
      { completion_tokens: (500 + 1_024) * 1.5 + 1_000 },
    ])
  })
})

test('a prompt that the channel adds, and a mapped name, do not make an honest count of a line implausible', async () => {
  const { app } = scene
  const { model } = fileBatchCases.openai
  const one = await setUp('openai')
  await app.data(contract.channel.update, {
    id: one.channel,
    models: 'my-model',
    model_mapping: JSON.stringify({ 'my-model': model }),
    system_prompt: long,
  })
  await setOptions(app, { PriceRules: JSON.stringify({ 'my-model': { like: model } }) })
  await one.client.messages.batches.create({ requests: [askInBatch('a', { model: 'my-model' })] })
  const usage = { prompt_tokens: 4_000, completion_tokens: 5, total_tokens: 4_005 }
  one.vendor.end('completed', { output: [batchOutputLine('a', model, { usage })] })
  await scene.poll()
  expect(await app.data(contract.log.list, { username: one.user.username })).toMatchObject([
    { prompt_tokens: 4_000, completion_tokens: 5, usage_suspect: false },
  ])
  await setOptions(app, { PriceRules: '{}' })
})

describe('models that are not priced by tokens', () => {
  test('are charged by the image, at the rate of batches, or refused without a price of a text', async () => {
    const { app } = scene
    const one = await setUp('openai')
    await app.data(contract.channel.update, { id: one.channel, models: 'dall-e-3,sora-2,whisper-1' })
    const { picture: image = 0 } = defaultPrice('dall-e-3', { yuanPerDollar: 7, nowMs: 0 }) ?? {}
    await one.client.messages.batches.create({ requests: [askInBatch('a', { model: 'dall-e-3' })] })
    one.vendor.end('completed', { output: [batchOutputLine('a', 'dall-e-3')] })
    await scene.poll()
    expect(image).toBeGreaterThan(0)
    expect(await spentBy(one)).toBe(Math.ceil(image * 500_000 * 0.5))
    const { key: poor } = await one.account(1)
    expect((await inBatch(poor, [{ model: 'dall-e-3' }])).status).toBe(403)
    for (const model of ['sora-2', 'whisper-1']) {
      const single = await alone(one.key, { model })
      expect([model, (await inBatch(one.key, [{ model }])).status]).toEqual([model, single.status])
      expect(single.status).toBe(503)
    }
  })
})
