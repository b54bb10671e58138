import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../core/json.ts'
import type { Kind } from '../../core/kind.ts'
import { noUsage } from '../../core/no-usage.ts'
import { causableUsage } from '../../registry/causable-usage.ts'
import { isSameModel } from '../../registry/same-model.ts'
import { bodyUseOf, effectsMax, namedModelsMax, noBodyUse, withCallLimit } from './body-use.ts'

const unpricedOf = (kind: Kind, body: JsonObject) => bodyUseOf(kind, body).unpriced.map(({ place, name }) => `${place}=${name}`)
const modelsOf = (kind: Kind, body: JsonObject) => bodyUseOf(kind, body).models.map(({ place, model, role }) => `${place}=${model} ${role}`)

describe('the use of a body', () => {
  const places: ReadonlyArray<readonly [Kind, JsonObject, readonly string[]]> = [
    ['chat', { messages: [], temperature: 1, tools: [{ type: 'function', function: { name: 'f' } }] }, []],
    ['chat', { __proto__x: 1, constructor: 2 }, ['__proto__x=__proto__x', 'constructor=constructor']],
    ['chat', { provider: { allow_fallbacks: false, order: ['a'] } }, ['provider.order=provider.order']],
    ['chat', { plugins: [{ id: 'response-healing' }, { id: 'web' }] }, ['plugins[1].id=web']],
    ['chat', { tools: [{ type: 'builtin_function', function: { name: '$web_search' } }] }, []],
    ['chat', { service_tier: 'scale' }, ['service_tier=service_tier']],
    ['chat', { service_tier: 'priority' }, []],
    ['generate', { tools: [[{ googleMaps: {} }]] }, ['tools[0]=tools']],
    ['chat', { tools: [{ type: 'builtin_function', function: { name: '$oracle' } }] }, ['tools[0].type=$oracle']],
    ['chat', { tools: [{ type: 'function', function: {}, googleMaps: {} }] }, ['tools[0].googleMaps=googleMaps']],
    ['chat', { extra_body: { google: { cached_content: 'x' }, other: 1 } }, ['extra_body.other=extra_body.other']],
    ['chat', { deferred: false, preset: null }, []],
    ['images', { sequential_image_generation: 'disabled' }, []],
    ['images', { sequential_image_generation: 'Disabled' }, ['sequential_image_generation=sequential_image_generation']],
    [
      'messages',
      { provider: { zdr: true, order: ['a'] }, plugins: [{ id: 'web' }] },
      ['provider.order=provider.order', 'plugins[0].id=web'],
    ],
    ['responses', { tools: [{ type: 'namespace', tools: [{ type: 'function' }, { type: 'oracle' }] }] }, ['tools[0].tools[1].type=oracle']],
    ['responses', { input: [{ type: 'tool_search_output', tools: [{ type: 'oracle' }] }] }, ['input[0].tools[0].type=oracle']],
    [
      'messages',
      {
        messages: [
          { role: 'user', content: [{ type: 'tool_addition', tool: { type: 'tool_definition', definition: { type: 'oracle' } } }] },
        ],
      },
      ['messages[0].content[0].tool.definition[0].type=oracle'],
    ],
    [
      'messages',
      { tools: [{ type: 'bash_20990101', name: 'bash' }, { type: 'web_search_20990101' }] },
      ['tools[1].type=web_search_20990101'],
    ],
    ['generate', { contents: [], tools: [{ google_search: {} }, { google_maps: {} }] }, ['tools[1].googleMaps=googleMaps']],
    ['generate', { generation_config: { top_k: 1, model_config: {} } }, ['generationConfig.modelConfig=generationConfig.modelConfig']],
    ['transcriptions', { 'timestamp_granularities[]': 'word' }, []],
    ['realtime', { anything: 1 }, ['anything=anything']],
  ]
  test.each(places)('%s %j', (kind, body, expected) => {
    expect(unpricedOf(kind, body)).toEqual([...expected])
  })

  const after: ReadonlyArray<readonly [Kind, JsonObject, readonly string[]]> = [
    ['chat', { fallbacks: [{ a: ['b', { model: 'c' }], d: 'e' }, { model: 'f' }] }, ['a[0]=b', 'a[1].model=c', 'd=e', 'model=f']],
    ['chat', { fallbacks: [{ model: ['b'] }] }, ['model[0]=b']],
    [
      'chat',
      { fallbacks: [{ model: 'a', max_tokens: 9, thinking: { type: 'x' }, temperature: 1, stream: true }, {}, 7, null] },
      ['model=a'],
    ],
    ['chat', { fallbacks: [{ model: 'a', fallbacks: [{ a: ['b'] }] }] }, ['model=a', 'fallbacks=[{"a":["b"]}]']],
    ['chat', { fallbacks: [{ model: 'a', a: ['b'] }] }, ['model=a', 'a=["b"]']],
    ['chat', { fallbacks: [{ a: [['b']] }, [{ c: ['d'] }]] }, ['a[0]=["b"]', '[1]=[{"c":["d"]}]']],
    [
      'chat',
      { fallbacks: [{ a: [{ model: 'b', fallbacks: ['c'] }, { api_base: 'x' }] }] },
      ['a[0].model=b', 'a[0].fallbacks=["c"]', 'a[1]={"api_base":"x"}'],
    ],
    ['messages', { context_window_fallbacks: [{ a: ['b'] }] }, ['a[0]=b']],
    ['responses', { content_policy_fallbacks: [{ a: ['b'] }], fallbacks: ['c'] }, ['a[0]=b', 'fallbacks[0]=c']],
    ['embeddings', { default_fallbacks: ['b'], context_window_fallback_dict: { a: 'c' } }, ['default_fallbacks[0]=b', 'a=c']],
    [
      'completions',
      { router_settings_override: { num_retries: 1, fallbacks: [{ a: ['b'] }], model_group_alias: { a: { model: 'c' } } } },
      ['a[0]=b', 'c'],
    ],
    ['images', { model_list: [{ model_name: 'a', litellm_params: { model: 'b' } }] }, ['model_name=a', 'litellm_params']],
    [
      'chat',
      { user_config: { model_list: [{ model_name: 'a' }] }, extra_body: { models: ['b'], fallbacks: [{ a: ['c'] }] } },
      ['model_name', 'models[0]=b', 'a[0]=c'],
    ],
  ]
  test.each(after)('%s %j names what serves after a failure, and what cannot be read stands for a model', (kind, body, expected) => {
    const models = modelsOf(kind, body)
    expect(models).toEqual(expected.map((part) => expect.stringContaining(part)))
  })

  test('has the models that it names, each once, with their places', () => {
    expect(modelsOf('chat', { models: ['a', 'b', 'a'], fallbacks: [{ model: 'c' }, 'd', {}, 7] })).toEqual([
      'models[0]=a instead',
      'models[1]=b instead',
      'fallbacks[0].model=c after',
      'fallbacks[1]=d instead',
    ])
    const sixty = Array.from({ length: 100 }, () => 'a')
    expect(modelsOf('chat', { models: [...sixty, 'b'], fallbacks: [...sixty, 'c'] })).toEqual([
      'models[0]=a instead',
      'models[100]=b instead',
      'fallbacks[100]=c instead',
    ])
    expect(modelsOf('messages', { tools: [{ type: 'advisor_20260301', model: 'a' }, { type: 'advisor_20260301' }] })).toEqual([
      'tools[0].model=a beside',
    ])
    expect(bodyUseOf('chat', { models: Array.from({ length: 5_000 }, (_, at) => `m${at}`) }).models).toHaveLength(namedModelsMax + 1)
    expect(bodyUseOf('messages', { fallbacks: 'default' })).toMatchObject({ models: [], unpriced: [{ name: 'fallbacks' }] })
  })

  test('allows as many searches as its tools and limits do', () => {
    const search = (more: JsonObject) => bodyUseOf('messages', { tools: [{ type: 'web_search_20250305', ...more }] }).searches
    expect([search({ max_uses: 5 }), search({ max_uses: -1 }), search({})]).toEqual([5, 200, 200])
    const limited = bodyUseOf('responses', { tools: [{ type: 'web_search' }], max_tool_calls: 7 })
    expect([limited.searches, withCallLimit(limited).searches]).toEqual([200, 7])
    expect(bodyUseOf('chat', { enable_search: false })).toEqual(noBodyUse)
    expect(bodyUseOf('chat', { enable_search: true }).searches).toBe(200)
    const shell = { type: 'shell', environment: { type: 'container_auto', memory_limit: '64g' } }
    expect(bodyUseOf('responses', { tools: [shell] }).containers).toBe(20 * 64)
  })
})

describe('tools that turns bring', () => {
  const advisor = { type: 'advisor_20260301', name: 'advisor', model: 'dear' }
  const addition = { type: 'tool_addition', tool: { type: 'tool_definition', definition: advisor } }
  const turn = (content: unknown): JsonObject => ({ messages: [{ role: 'user', content }] }) as JsonObject

  test.each<[string, Kind, JsonObject, string]>([
    ['a part', 'messages', turn([addition]), 'messages[0].content[0].tool.definition[0].model'],
    ['a part of a chat', 'chat', turn([addition]), 'messages[0].content[0].tool.definition[0].model'],
    [
      'a tool in place of its definition',
      'messages',
      turn([{ type: 'tool_addition', tool: advisor }]),
      'messages[0].content[0].tool[0].model',
    ],
    [
      'a block that sums up earlier turns',
      'messages',
      turn([{ type: 'compaction', content: 'summary', tool_changes: [addition] }]),
      'messages[0].content[0].tool_changes[0].tool.definition[0].model',
    ],
    [
      'a result of a tool',
      'messages',
      turn([{ type: 'tool_result', tool_use_id: 't', content: [addition] }]),
      'messages[0].content[0].content[0].tool.definition[0].model',
    ],
    ['the system prompt', 'messages', { system: [addition], messages: [] } as JsonObject, 'system[0].tool.definition[0].model'],
  ])('are read in %s', (_, kind, body, place) => {
    expect(modelsOf(kind, body)).toEqual([`${place}=dear beside`])
  })

  test('are not what the client’s own functions are given', () => {
    expect(modelsOf('messages', turn([{ type: 'tool_use', id: 't', name: 'f', input: addition }]))).toEqual([])
  })
})

describe('the vendor’s own tools', () => {
  const offeredBy = (kind: 'responses' | 'chat' | 'messages' | 'generate', body: object) => bodyUseOf(kind, body as JsonObject).offered
  const large = { type: 'code_interpreter', container: { type: 'auto', memory_limit: '64g' } }

  test.each([
    ['tools', { tools: [large] }],
    ['tools of a namespace', { tools: [{ type: 'namespace', name: 'a', tools: [large] }] }],
    ['tools of a turn', { input: [{ type: 'additional_tools', tools: [large] }] }],
    ['a shell', { tools: [{ type: 'shell', environment: { type: 'container_auto', memory_limit: '64g' } }] }],
  ])('are offered wherever they stand: %s', (_, body) => {
    expect(offeredBy('responses', body)).toMatchObject({ gigabytes: 64, containers: 64 })
  })

  test('are reserved as often as the request allows, or as usual', () => {
    const search = { type: 'web_search' }
    expect(offeredBy('responses', { tools: [search, { ...large, container: { type: 'auto' } }, large] })).toMatchObject({
      ...{ searches: 8, gigabytes: 64, containers: 65 },
      reads: { least: 3 * 4_096, most: Number.POSITIVE_INFINITY },
    })
    expect(offeredBy('responses', { tools: [search] }).reads).toEqual({ least: 4_096, most: 8 * 8_192 })
    expect(offeredBy('responses', { tools: [search], max_tool_calls: 2 })).toMatchObject({ searches: 2, reads: { most: 2 * 8_192 } })
    const fetch = { type: 'web_fetch_20260209', name: 'web_fetch' }
    const limited = { ...fetch, max_uses: 3, max_content_tokens: 1_000 }
    const reads = [[fetch], [limited], [{ type: 'web_search_20250305', max_uses: 20 }]].map(
      (tools) => offeredBy('messages', { tools }).reads,
    )
    expect(reads).toEqual([
      { least: 4_096, most: Number.POSITIVE_INFINITY },
      { least: 3_000, most: 3_000 },
      { least: 4_096, most: 20 * 8_192 },
    ])
    const drawing = { type: 'image_generation', model: 'gpt-image-1-mini', size: '1024x1024', quality: 'low' }
    expect(offeredBy('responses', { tools: [drawing] }).drawings).toMatchObject([
      { models: ['gpt-image-1-mini', 'gpt-image-1'], size: '1024x1024', quality: 'low', usage: { images: 1 } },
    ])
    for (const body of [{ tools: [{ type: 'shell', environment: { type: 'local' } }] }, { tools: [{ type: 'function', name: 'f' }] }])
      expect(offeredBy('responses', body)).toMatchObject({ gigabytes: 0, searches: 0, reads: { most: 0 } })
  })

  test.each([
    ['chat', { tools: [{ url_context: {} }] }],
    ['chat', { tools: [{ google_search: {} }] }],
    ['chat', { web_search_options: {} }],
    ['chat', { enable_search: true }],
    ['chat', { mcp_servers: [{ name: 'a' }], tools: [{ type: 'mcp_toolset' }] }],
    ['chat', { tools: [{ type: 'builtin_function', function: { name: '$web_search' } }] }],
    ['chat', { turbo: 1 }],
    ['messages', { tools: [{ type: 'code_execution_20250825' }] }],
    ['messages', { fallbacks: [{ model: 'a' }] }],
    ['generate', { tools: [{ codeExecution: {} }] }],
    ['responses', { tools: [{ type: 'mcp', server_url: 'https://a.test' }] }],
    ['responses', { tools: [{ type: 'code_interpreter', environment: { type: 'local' } }] }],
    ['messages', { context_management: { edits: [{ type: 'clear_thinking_20251015' }, { type: 'compact_20260112' }] } }],
  ] as const)('make the vendor read more than the turns: %s %j', (kind, body) => {
    expect(bodyUseOf(kind, body as unknown as JsonObject).isWorking).toBe(true)
  })

  test.each([
    ['chat', { tools: [{ type: 'function', function: { name: 'f' } }], stream: true, reasoning_effort: 'low' }],
    ['messages', { tools: [{ type: 'bash_20250124' }, { type: 'custom' }, { name: 'f', input_schema: {} }], thinking: {} }],
    ['messages', { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } }],
    [
      'messages',
      {
        tools: [
          { type: 'tool_search_tool_regex_20251119', name: 'find' },
          { type: 'memory_20250818', name: 'memory' },
        ],
      },
    ],
    ['responses', { tools: [{ type: 'shell', environment: { type: 'local' } }, { type: 'tool_search' }] }],
    ['generate', { tools: [{ functionDeclarations: [] }], generationConfig: { thinkingConfig: {} } }],
    [
      'responses',
      { tools: [{ type: 'function', name: 'f' }, { type: 'local_shell' }, { type: 'namespace', tools: [{ type: 'custom' }] }] },
    ],
  ] as const)('are not those that the client runs: %s %j', (kind, body) => {
    expect(bodyUseOf(kind, body as unknown as JsonObject).isWorking).toBe(false)
  })
})

test('the calls of tools are limited by all that the vendor runs, or by nothing', () => {
  const callsOf = (...tools: readonly object[]) => bodyUseOf('messages', { tools } as unknown as JsonObject).callsMax
  const search = { type: 'web_search_20250305', max_uses: 2 }
  const own = [{ name: 'f', input_schema: {} }, { type: 'bash_20250124' }, { type: 'tool_search_tool_bm25' }]
  expect([callsOf(search, ...own), callsOf(search, { type: 'web_fetch_20250910' }), callsOf(...own)]).toEqual([2, null, null])
  expect(callsOf(search, { ...search, type: 'web_fetch_20250910', max_uses: 3 })).toBe(5)
  expect(bodyUseOf('messages', { tools: [search], mcp_servers: [{}] }).callsMax).toBeNull()
  const limited = bodyUseOf('responses', { tools: [{ type: 'mcp' }], max_tool_calls: 4 })
  expect([limited.callsMax, withCallLimit(limited).callsMax]).toEqual([null, 4])
})

test('an advisor may be called as often as all its tools allow', () => {
  const usesOf = (...limits: readonly (number | null)[]) =>
    bodyUseOf('messages', { tools: limits.map((max) => ({ type: 'advisor_20260301', model: 'a', max_uses: max })) }).models
  expect(usesOf(1, 2)).toMatchObject([{ uses: 3, usesMax: 3 }])
  expect(usesOf(1, null)).toEqual([{ place: 'tools[0].model', model: 'a', role: 'beside', uses: 9 }])
})

describe('the usage of a response', () => {
  const cause = { model: 'm', nameOf: (model: string) => model, images: 0, characters: 0, hasAudio: false }
  const image = { models: ['p-9', 'p-1'] as const, usage: { ...noUsage, images: 1 } }
  const advice = { models: ['a', 'a'] as const, usage: { ...noUsage, promptTokens: 5 } }

  test('has nothing that its request cannot have caused', () => {
    const usage = { ...noUsage, searches: 9, fileSearches: 9, containers: 9, images: 9, characters: 9, audioMs: 9, isRegional: true }
    const kept = causableUsage(
      { ...usage, serviceTier: 'ultrafast', delegated: [image, advice], responseModel: 'x' },
      { ...cause, use: noBodyUse },
    )
    expect(kept).toEqual(noUsage)
  })

  test('has the work that it requested, by the names that it gave', () => {
    const use = bodyUseOf('responses', { tools: [{ type: 'image_generation', model: 'p-2' }], service_tier: 'priority' })
    const kept = causableUsage({ ...noUsage, serviceTier: 'ultrafast', delegated: [image, advice] }, { ...cause, use })
    expect(kept).toMatchObject({ serviceTier: 'priority', delegated: [{ models: ['p-2', 'p-1'], usage: { images: 1 } }] })
    expect(kept.delegated).toHaveLength(1)
    const flood = Array.from({ length: 500 }, () => image)
    expect(causableUsage({ ...noUsage, delegated: flood }, { ...cause, use }).delegated).toHaveLength(effectsMax.images)
  })

  test('has the tier that its vendor lowered', () => {
    const use = bodyUseOf('chat', { service_tier: 'ultrafast' })
    const tierOf = (serviceTier: 'priority' | 'ultrafast' | 'flex') =>
      causableUsage({ ...noUsage, serviceTier }, { ...cause, use }).serviceTier
    expect([tierOf('priority'), tierOf('ultrafast'), tierOf('flex')]).toEqual(['priority', 'ultrafast', 'flex'])
  })

  test('keeps searches of models that always search', () => {
    const params = { ...cause, use: noBodyUse }
    expect(causableUsage({ ...noUsage, searches: 3 }, { ...params, nameOf: () => 'sonar-pro' }).searches).toBe(3)
  })
})

test('names of one model are known as the same', () => {
  expect(isSameModel('anthropic/claude-4.5-sonnet-20250929', 'anthropic/claude-sonnet-4.5')).toBe(true)
  expect(isSameModel('gpt-4o-mini-2024-07-18', 'openai/gpt-4o-mini')).toBe(true)
  expect(isSameModel('openai/gpt-4o', 'openai/gpt-4o-mini')).toBe(false)
  expect(isSameModel('gpt-5', 'gpt-5.5')).toBe(false)
})
