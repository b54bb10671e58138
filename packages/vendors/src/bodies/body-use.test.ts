import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../json.ts'
import type { Kind } from '../kind.ts'
import { noUsage } from '../no-usage.ts'
import { bodyUseOf, namedModelsMax, noBodyUse } from './body-use.ts'
import { causableUsage } from './causable-usage.ts'
import { isSameModel } from './same-model.ts'

const unpricedOf = (kind: Kind, body: JsonObject) => bodyUseOf(kind, body).unpriced.map(({ place, name }) => `${place}=${name}`)
const modelsOf = (kind: Kind, body: JsonObject) => bodyUseOf(kind, body).models.map(({ place, model, role }) => `${place}=${model} ${role}`)

describe('the use of a body', () => {
  const places: ReadonlyArray<readonly [Kind, JsonObject, readonly string[]]> = [
    ['chat', { messages: [], temperature: 1, tools: [{ type: 'function', function: { name: 'f' } }] }, []],
    ['chat', { __proto__x: 1, constructor: 2 }, ['__proto__x=__proto__x', 'constructor=constructor']],
    ['chat', { provider: { allow_fallbacks: false, order: ['a'] } }, ['provider.order=provider.order']],
    ['chat', { plugins: [{ id: 'response-healing' }, { id: 'web' }] }, ['plugins[1].id=web']],
    ['chat', { tools: [{ type: 'builtin_function', function: { name: '$web_search' } }] }, []],
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

  test('has the models that it names, each once, with their places', () => {
    expect(modelsOf('chat', { models: ['a', 'b', 'a'], fallbacks: [{ model: 'c' }, 'd', {}, 7] })).toEqual([
      'models[0]=a instead',
      'models[1]=b instead',
      'fallbacks[0].model=c after',
      'fallbacks[1]=d after',
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
    expect(bodyUseOf('responses', { tools: [{ type: 'web_search' }], max_tool_calls: 7 }).searches).toBe(7)
    expect(bodyUseOf('chat', { enable_search: false })).toEqual(noBodyUse)
    expect(bodyUseOf('chat', { enable_search: true }).searches).toBe(200)
    const shell = { type: 'shell', environment: { type: 'container_auto', memory_limit: '64g' } }
    expect(bodyUseOf('responses', { tools: [shell] }).containers).toBe(20 * 64)
  })
})

describe('the usage of an answer', () => {
  const cause = { model: 'm', upstreamModel: 'm', images: 0, characters: 0, hasAudio: false }
  const image = { models: ['p-9', 'p-1'] as const, usage: { ...noUsage, images: 1 } }
  const advice = { models: ['a', 'a'] as const, usage: { ...noUsage, promptTokens: 5 } }

  test('has nothing that its request cannot have caused', () => {
    const usage = { ...noUsage, searches: 9, fileSearches: 9, containers: 9, images: 9, characters: 9, audioMs: 9, isRegional: true }
    const kept = causableUsage(
      { ...usage, serviceTier: 'ultrafast', delegated: [image, advice], answeredBy: 'x' },
      { ...cause, use: noBodyUse },
    )
    expect(kept).toEqual(noUsage)
  })

  test('has the work that it asked for, by the names that it gave', () => {
    const use = bodyUseOf('responses', { tools: [{ type: 'image_generation', model: 'p-2' }], service_tier: 'priority' })
    const kept = causableUsage({ ...noUsage, serviceTier: 'ultrafast', delegated: [image, advice] }, { ...cause, use })
    expect(kept).toMatchObject({ serviceTier: 'priority', delegated: [{ models: ['p-2', 'p-1'], usage: { images: 1 } }] })
    expect(kept.delegated).toHaveLength(1)
    const flood = Array.from({ length: 500 }, () => image)
    expect(causableUsage({ ...noUsage, delegated: flood }, { ...cause, use }).delegated).toHaveLength(100)
  })

  test('keeps searches of models that always search', () => {
    const asked = { ...cause, use: noBodyUse }
    expect(causableUsage({ ...noUsage, searches: 3 }, { ...asked, upstreamModel: 'sonar-pro' }).searches).toBe(3)
  })
})

test('names of one model are known as the same', () => {
  expect(isSameModel('anthropic/claude-4.5-sonnet-20250929', 'anthropic/claude-sonnet-4.5')).toBe(true)
  expect(isSameModel('gpt-4o-mini-2024-07-18', 'openai/gpt-4o-mini')).toBe(true)
  expect(isSameModel('openai/gpt-4o', 'openai/gpt-4o-mini')).toBe(false)
  expect(isSameModel('gpt-5', 'gpt-5.5')).toBe(false)
})
