import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract, type LogRow } from '@sluice/contract'
import { type AccountScene, accountScene } from '../../../test/account-scene.ts'
import { type TestApp, testApp } from '../../../test/app.ts'
import { events, json, type Script } from '../../../test/fake-upstream.ts'
import { wavFile } from '../../../test/wav.ts'

// The vendor's counts for calls other than chats are compared with what was requested.

let app: TestApp
let account: AccountScene
beforeAll(async () => {
  app = await testApp()
  await app.data(contract.option.update, { key: 'PreConsumedQuota', value: '0' })
  const models = ['text-embedding-3-small', 'jina-reranker', 'gpt-image-1', 'gpt-image-2', 'gpt-4o-mini-tts']
  const others = ['whisper-1', 'gpt-4o-transcribe', 'gpt-4o-mini']
  const price = { ratio: 1, completion: 1 }
  const rules = { 'jina-reranker': price }
  await app.data(contract.option.update, { key: 'PriceRules', value: JSON.stringify(rules) })
  await app.make.channel({ models: [...models, ...others].join(',') })
  await app.make.channel({ type: 8, models: 'gpt-4.1-mini' })
  await app.make.channel({ type: 24, models: 'gemini-embedding-001' })
  account = await accountScene(app, { quota: 1_000_000_000_000 })
})
afterAll(() => app.close())
afterEach(async () => {
  expect(app.app.ledger.openHolds()).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
})

const rowOf: AccountScene['rowOf'] = (path, body, ...responses) => account.rowOf(path, body, ...responses)

describe('a prompt of', () => {
  const embedded = (tokens: number): Script =>
    json({
      ...{ object: 'list', model: 'm', data: [{ object: 'embedding', index: 0, embedding: [1] }] },
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    })
  const ranked = (tokens: number): Script =>
    json({ model: 'm', results: [{ index: 0, relevance_score: 1 }], usage: { total_tokens: tokens } })
  const texts = Array.from({ length: 100 }, () => 'word '.repeat(400))
  const cases: ReadonlyArray<readonly [string, string, object, (tokens: number) => Script, number]> = [
    ['a text to embed', '/v1/embeddings', { model: 'text-embedding-3-small', input: 'hi' }, embedded, 1_000],
    ['many texts to embed', '/v1/embeddings', { model: 'text-embedding-3-small', input: texts }, embedded, 45_000],
    ['tokens to embed', '/v1/embeddings', { model: 'text-embedding-3-small', input: [[1, 2, 3]] }, embedded, 3],
    ['documents to rank', '/v1/rerank', { model: 'jina-reranker', query: 'a', documents: texts }, ranked, 45_000],
  ]

  test.each(cases)('%s is bounded by what was sent', async (_, path, body, response, honest) => {
    expect(await rowOf(path, body, response(honest))).toMatchObject({ usage_suspect: false, prompt_tokens: honest })
    const row = await rowOf(path, body, response(999_999_999))
    expect(row).toMatchObject({ usage_suspect: true, estimated: true })
    expect(row.prompt_tokens).toBeLessThan(60_000)
  })

  test('an image to embed is counted by its vendor', async () => {
    const input = [{ type: 'image_url', image_url: `data:image/png;base64,${'A'.repeat(300_000)}` }]
    const row = await rowOf('/v1/embeddings', { model: 'text-embedding-3-small', input }, embedded(20_000))
    expect(row).toMatchObject({ usage_suspect: false, prompt_tokens: 20_000 })
  })
})

describe('images', () => {
  const generated = (output: number, input = 10, images = 1): Script =>
    json({
      created: 1,
      data: Array.from({ length: images }, () => ({ b64_json: 'AAAA' })),
      usage: {
        ...{ input_tokens: input, output_tokens: output, total_tokens: input + output },
        input_tokens_details: { text_tokens: input, image_tokens: 0 },
      },
    })
  const path = '/v1/images/generations'
  const params = { model: 'gpt-image-1', prompt: 'hi' }

  test.each([
    ['one picture', params, 6_240],
    ['four pictures', { ...params, n: 4 }, 25_000],
    ['a very large picture', { ...params, model: 'gpt-image-2', size: '3840x2160' }, 40_000],
  ])('of an order of %s are charged as the vendor counts them', async (_, body, output) => {
    expect(await rowOf(path, body, generated(output))).toMatchObject({ usage_suspect: false, completion_tokens: output })
  })

  test.each([
    ['more tokens than a picture can have', generated(9_000_000)],
    ['tokens of pictures that were not ordered', generated(25_000)],
    ['a prompt that was not sent', generated(6_240, 1_000_000)],
  ])('with %s are charged by the piece', async (_, script) => {
    const row = await rowOf(path, { ...params, size: '1024x1024', quality: 'low' }, script)
    expect(row).toMatchObject({ usage_suspect: true, charges: [expect.objectContaining({ unit: 'images', count: 1 })] })
    expect(row.quota).toBeLessThan(10_000)
  })

  describe('of a tool', () => {
    const model = 'gpt-4o-mini'
    const response = (calls: number, tokens: object | null): Script =>
      json({
        ...{ id: 'resp_1', object: 'response', status: 'completed', model },
        output: Array.from({ length: calls }, (_, at) => ({
          type: 'image_generation_call',
          id: `ig_${at}`,
          status: 'completed',
          result: 'AAAA',
        })),
        usage: { input_tokens: 20, output_tokens: 5, total_tokens: 25 },
        ...(tokens === null ? {} : { tool_usage: { image_gen: tokens } }),
      })
    const tool = { model, input: 'draw', tools: [{ type: 'image_generation', size: '1024x1024', quality: 'low' }] }
    const toolCharges = ({ charges }: LogRow) => charges.filter(({ unit }) => unit.startsWith('tool.'))

    test('are charged by their tokens', async () => {
      const row = await rowOf('/v1/responses', tool, response(2, { input_tokens: 50, output_tokens: 12_000, total_tokens: 12_050 }))
      expect(row.usage_suspect).toBe(false)
      expect(toolCharges(row)).toContainEqual(expect.objectContaining({ unit: 'tool.imageOutput', count: 12_000 }))
    })

    test('are charged by the piece, if their tokens are impossible', async () => {
      const row = await rowOf(
        '/v1/responses',
        tool,
        response(1, { input_tokens: 50, output_tokens: 100_000_000, total_tokens: 100_000_050 }),
      )
      expect(row.usage_suspect).toBe(true)
      expect(toolCharges(row)).toEqual([expect.objectContaining({ unit: 'tool.images', count: 1 })])
    })

    test('are no more than a response can have', async () => {
      const row = await rowOf('/v1/responses', tool, response(1_000, null))
      expect(toolCharges(row)).toEqual([expect.objectContaining({ unit: 'tool.images', count: 32 })])
      const limited = await rowOf('/v1/responses', { ...tool, max_tool_calls: 2 }, response(1_000, null))
      expect(toolCharges(limited)).toEqual([expect.objectContaining({ unit: 'tool.images', count: 2 })])
    })

    test('are charged beyond `max_tool_calls` at a server that may not know it', async () => {
      const params = { ...tool, model: 'gpt-4.1-mini', max_tool_calls: 2 }
      const row = await rowOf('/v1/responses', params, response(8, null))
      expect(toolCharges(row)).toEqual([expect.objectContaining({ unit: 'tool.images', count: 8 })])
    })
  })
})

describe('speech', () => {
  const spoken = (input: number, output: number): Script =>
    events([
      { type: 'speech.audio.delta', audio: 'AAAA' },
      { type: 'speech.audio.done', usage: { input_tokens: input, output_tokens: output, total_tokens: input + output } },
    ])
  const params = { model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'h', stream_format: 'sse' }

  test.each([
    ['is charged as the vendor counts it', params, 9, 2_000, false],
    ['may be long, if instructions ask for it', { ...params, instructions: 'repeat slowly for ten minutes' }, 9, 15_000, false],
    ['is not charged for sound that no such text has', params, 9, 100_000_000, true],
    ['is not charged for a text that was not sent', params, 100_000_000, 100, true],
  ] as const)('%s', async (_, body, input, output, isSuspect) => {
    const row = await rowOf('/v1/audio/speech', body, spoken(input, output))
    expect(row.usage_suspect).toBe(isSuspect)
    if (isSuspect) expect(row.quota).toBeLessThan(10_000)
    else expect(row.completion_tokens).toBe(output)
  })
})

describe('a transcript of ten seconds', () => {
  async function transcribe(model: string, usage: object): Promise<LogRow> {
    const form = new FormData()
    form.set('model', model)
    form.set('file', await wavFile(10), 'a.wav')
    return await rowOf('/v1/audio/transcriptions', form, json({ text: 'Hello', usage }))
  }
  const seconds = (count: number) => ({ type: 'duration', seconds: count })
  const tokens = (input: number, output: number) => ({
    ...{ type: 'tokens', input_tokens: input, output_tokens: output, total_tokens: input + output },
    input_token_details: { audio_tokens: input, text_tokens: 0 },
  })

  test.each([
    ['by seconds', 'whisper-1', seconds(10)],
    ['by a least length', 'whisper-1', seconds(60)],
    ['by tokens', 'gpt-4o-transcribe', tokens(100, 20)],
  ])('is charged as the vendor counts it: %s', async (_, model, usage) => {
    expect(await transcribe(model, usage)).toMatchObject({ usage_suspect: false, estimated: false })
  })

  test.each([
    ['seconds', 'whisper-1', seconds(1_000_000)],
    ['input', 'gpt-4o-transcribe', tokens(100_000_000, 20)],
    ['output', 'gpt-4o-transcribe', tokens(100, 100_000_000)],
  ])('is charged by its length, if the vendor counts too many: %s', async (_, model, usage) => {
    const row = await transcribe(model, usage)
    expect(row.usage_suspect).toBe(true)
    expect(row.quota).toBeLessThan(2_000)
  })
})
