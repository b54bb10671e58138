import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { accountScene } from '../../../test/account-scene.ts'
import { type TestApp, testApp } from '../../../test/app.ts'
import { json } from '../../../test/fake-upstream.ts'
import { pngOf } from '../../../test/png.ts'
import { wavFile } from '../../../test/wav.ts'

// Images, videos and audio that go into a call or come out of it: what is reserved for them, and what they cost.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await app.data(contract.option.update, { key: 'PreConsumedQuota', value: '0' })
  await app.make.channel({ type: 1, models: 'gpt-image-1,gpt-image-2,dall-e-2,gpt-4o,gpt-4o-mini-tts,tts-1' })
  await app.make.channel({ type: 24, models: 'gemini-2.5-flash-image,gemini-3.1-pro-preview' })
  await app.make.channel({ type: 17, models: 'qwen3-omni-flash,qwen-omni-turbo' })
  await app.make.channel({ type: 16, models: 'glm-4.6' })
  await app.make.channel({ type: 28, models: 'voxtral-small-2507' })
  await app.make.channel({ type: 20, models: 'perplexity/sonar-pro' })
}, 60_000)
afterAll(() => app.close())
afterEach(async () => {
  expect(app.app.ledger.openHolds()).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
})

const dollar = 500_000
const yuan = dollar / 7

/** An account, and what it has paid. */
async function scene(quota: number) {
  const account = await accountScene(app, { quota })
  return { ...account, paid: async () => quota - (await account.spent()).quota }
}

/** The minimum balance that a request needs, as its refusal states. @param balance what is there: media are measured only if it covers the rest */
async function neededFor(path: string, body: object | FormData, balance = 1): Promise<number> {
  const { send } = await scene(balance)
  const before = app.upstream.received.length
  const response = await send(path, body)
  const text = await response.text()
  expect([response.status, app.upstream.received.length, text]).toEqual([403, before, expect.stringContaining('needs at least')])
  return Number(/needs at least ([\d,]+)/.exec(text)?.[1]?.replaceAll(',', ''))
}

const edits = '/v1/images/edits'
const wide = pngOf(1536, 1024)

function edit(model: string, count: number, more: Readonly<Record<string, string>> = {}): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries({ model, prompt: 'x', quality: 'low', size: '1024x1024', ...more })) form.append(name, value)
  for (let index = 0; index < count; index++)
    form.append('image[]', new File([Uint8Array.from(wide)], `${index}.png`, { type: 'image/png' }))
  return form
}

const generated = json({
  created: 1,
  data: [{ b64_json: 'iVBORw0KGgo=' }],
  usage: {
    ...{ input_tokens: 100_010, output_tokens: 272, total_tokens: 100_282 },
    input_tokens_details: { text_tokens: 10, image_tokens: 100_000 },
  },
})

describe('images that are edited are reserved', () => {
  test('so that no calls at once cost more than the balance', async () => {
    const { send, paid } = await scene(dollar / 2)
    app.upstream.fallback(() => generated)
    const before = app.upstream.received.length
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await send(edits, edit('gpt-image-1', 16, { input_fidelity: 'high' }))).status),
    )
    expect(new Set(statuses)).toEqual(new Set([403]))
    expect([app.upstream.received.length, await paid()]).toEqual([before, 0])
  })

  test('by their size and detail, in addition to the text and the image that is generated', async () => {
    // A token of text, and one of 5,500 for the image. An image of 3:2 has two tiles: 65 and 258 tokens, at 5 each.
    const one = 65 + 2 * 129
    expect(await neededFor(edits, edit('gpt-image-1', 1), 5_503)).toBe(5_503 + one * 5)
    expect(await neededFor(edits, edit('gpt-image-1', 4), 5_503)).toBe(5_503 + 4 * one * 5)
    expect(await neededFor(edits, edit('gpt-image-1', 2, { input_fidelity: 'high' }), 5_503)).toBe(5_503 + 2 * (one + 6_240) * 5)
    expect(await neededFor(edits, edit('gpt-image-2', 1), 3_003)).toBe(3_003 + (one + 6_240) * 4)
    expect(await neededFor(edits, edit('gpt-image-1', 1, { prompt: 'word '.repeat(6_400) }), 25_500)).toBe(25_500 + one * 5)
    // What has no price by tokens costs nothing beside the image.
    expect(await neededFor(edits, edit('dall-e-2', 1))).toBe(10_000)
  })

  test('in JSON, by their bytes or their addresses', async () => {
    const body = { model: 'gpt-image-1', prompt: 'x', quality: 'low', size: '1024x1024', input_fidelity: 'high' }
    const inline = { image_url: `data:image/png;base64,${wide.toString('base64')}` }
    const close = 65 + 2 * 129 + 6_240
    expect(await neededFor(edits, { ...body, images: [inline, inline] }, 5_503)).toBe(5_503 + 2 * close * 5)
    const remote = Array.from({ length: 16 }, (_, index) => ({ image_url: `https://a.example/${index}.png` }))
    expect(await neededFor(edits, { ...body, images: remote })).toBeGreaterThan(16 * 6_000 * 5)
    expect(await neededFor(edits, { ...body, images: [inline], mask: inline }, 5_503)).toBe(5_503 + 2 * close * 5)
  })

  test('at Gemini, and the text of new images everywhere', async () => {
    const gemini = (count: number) => neededFor(edits, edit('gemini-2.5-flash-image', count), 19_501)
    const crops = 258 * Math.ceil(1536 / 682) * Math.ceil(1024 / 682)
    expect((await gemini(14)) - (await gemini(4))).toBe(10 * crops * 0.15)
    const make = (prompt: string) =>
      neededFor('/v1/images/generations', { model: 'gpt-image-1', prompt, quality: 'low', size: '1024x1024' })
    expect(await make('word '.repeat(6_400))).toBe(5_500 + 8_000 * 2.5)
  })
})

const chat = '/v1/chat/completions'
const upstreamResponse = { choices: [{ index: 0, message: { role: 'assistant', content: 'A bridge.' }, finish_reason: 'stop' }] }
const responseOf = (usage: object) => json({ id: 'c', object: 'chat.completion', created: 1, model: 'm', ...upstreamResponse, usage })
const withPart = (part: object) => [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, part] }]

/** What a chat costs by the usage of its vendor. */
async function costOf(body: object, usage: object): Promise<number> {
  const { send, paid } = await scene(20 * dollar)
  app.upstream.script(responseOf(usage))
  const response = await send(chat, body)
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('A bridge.')])
  return await paid()
}

describe('a chat of Qwen-Omni costs', () => {
  const model = 'qwen3-omni-flash'
  const words = { model, messages: [{ role: 'user', content: 'word '.repeat(2_000) }] }
  const million = (price: number) => Math.ceil((price * yuan) / 1e6)

  test('less for text than for a response to a video, which costs more itself', async () => {
    const text = { prompt_tokens: 2_000, completion_tokens: 100, total_tokens: 2_100 }
    expect(await costOf(words, text)).toBe(million(2_000 * 1.8 + 100 * 6.9))
    const mp4File = { model, messages: withPart({ type: 'video_url', video_url: { url: 'https://a.example/1.mp4' } }) }
    const details = { prompt_tokens_details: { video_tokens: 40_000, text_tokens: 100 } }
    expect(await costOf(mp4File, { prompt_tokens: 40_100, completion_tokens: 3, total_tokens: 40_103, ...details })).toBe(
      million(100 * 1.8 + 40_000 * 3.3 + 3 * 12.7),
    )
  })

  test('the price of audio input and output, and nothing for the transcript of the output', async () => {
    const audioMessages = withPart({ type: 'input_audio', input_audio: { data: Buffer.alloc(320_000).toString('base64'), format: 'wav' } })
    const body = { model, messages: audioMessages, modalities: ['text', 'audio'], audio: { voice: 'Cherry', format: 'wav' } }
    const usage = {
      ...{ prompt_tokens: 600, completion_tokens: 1_200, total_tokens: 1_800 },
      prompt_tokens_details: { audio_tokens: 500, text_tokens: 100 },
      completion_tokens_details: { audio_tokens: 1_000, text_tokens: 200 },
    }
    expect(await costOf(body, usage)).toBe(million(100 * 1.8 + 500 * 15.8 + 1_000 * 62.6))
  })

  test('as much in its reservation', async () => {
    const max_tokens = 1_000
    const audio = (seconds: number) =>
      withPart({ type: 'input_audio', input_audio: { data: Buffer.alloc(8_000 * seconds).toString('base64'), format: 'mp3' } })
    // Its reasoning is beyond the limit.
    const written = max_tokens + 16_384
    const enough = million((4 + 3 + 3) * 1.8 + written * 6.9)
    // 25 tokens a second at 15.8 yuan a million, and a response to audio at 12.7.
    const needed = await neededFor(chat, { model, max_tokens, messages: audio(400) }, enough)
    expect(needed).toBeGreaterThanOrEqual(million(400 * 25 * 15.8 + written * 12.7))
    const spoken = { model, max_tokens, messages: [{ role: 'user', content: 'Hi' }], modalities: ['text', 'audio'] }
    expect(await neededFor(chat, spoken)).toBeGreaterThanOrEqual(million(max_tokens * 62.6))
  })
})

describe('what is named by an address is reserved as what it may be', () => {
  const least = async (model: string, part: object) => await neededFor(chat, { model, max_tokens: 10, messages: withPart(part) })

  test.each([
    ['glm-4.6', { type: 'file_url', file_url: { url: 'https://a.example/1.pdf' } }],
    ['glm-4.6', { type: 'other_url', other_url: 'https://a.example/1' }],
    ['gemini-3.1-pro-preview', { type: 'image_url', image_url: { url: 'https://a.example/1.MP4?x=1.png' } }],
    ['gemini-3.1-pro-preview', { type: 'image_url', image_url: { url: 'https://a.example/1?x=1.mp4' } }],
    ['gemini-3.1-pro-preview', { type: 'image_url', image_url: 'https://youtu.be/9hE5-98ZeCg' }],
    ['gpt-4o', { type: 'image_url', image_url: { url: 'https://a.example/1.pdf#.png' } }],
  ])('%s, %p', async (model, part) => {
    const image = await least(model, { type: 'image_url', image_url: { url: 'https://a.example/1.png' } })
    expect(await least(model, part)).toBeGreaterThan(20 * image)
  })
})

test('audio that Mistral counts beside the tokens of a chat is paid by its length', async () => {
  const model = 'voxtral-small-2507'
  const audio = (seconds: number) =>
    withPart({ type: 'input_audio', input_audio: { data: Buffer.alloc(8_000 * seconds).toString('base64'), format: 'mp3' } })
  const tokens = { prompt_tokens: 100, completion_tokens: 3, total_tokens: 853 }
  const price = (seconds: number) => Math.ceil(100 * 0.05 + 3 * 0.2 + seconds * 6.6666667e-5 * dollar)
  expect(await costOf({ model, messages: audio(60) }, { ...tokens, prompt_audio_seconds: 60 })).toBe(price(60))
  // More than the request can have caused is not believed; the audio costs what was measured then.
  const cost = await costOf({ model, messages: audio(60) }, { ...tokens, prompt_audio_seconds: 900_000 })
  expect(cost).toBeWithin(price(0), price(62))
  expect(await neededFor(chat, { model, max_tokens: 3, messages: audio(600) }, 10)).toBeGreaterThanOrEqual(price(600) - 5)
})

test('a model that searches in every call costs the search, too', async () => {
  const model = 'perplexity/sonar-pro'
  const usage = { prompt_tokens: 20, completion_tokens: 3, total_tokens: 23 }
  expect(await costOf({ model, messages: [{ role: 'user', content: 'Who won?' }] }, usage)).toBe(
    Math.ceil(20 * 1.5 + 3 * 7.5 + 0.005 * dollar),
  )
})

describe('speech of a model that is billed by its audio costs', () => {
  const speech = '/v1/audio/speech'
  const body = { model: 'gpt-4o-mini-tts', input: 'h', voice: 'alloy', instructions: 'repeat slowly for ten minutes' }
  const characters = 30 * 8.5

  /** @param audio what the vendor responds */
  async function spoken(type: string, audio: Buffer, model = body.model): Promise<number> {
    const { send, paid } = await scene(dollar)
    app.upstream.script([
      { do: 'head', status: 200, headers: { 'content-type': type } },
      { do: 'send', bytes: audio },
    ])
    const response = await send(speech, { ...body, model })
    expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, audio.length])
    return await paid()
  }

  test('its length, whatever the text is', async () => {
    const minute = 0.015 * dollar
    // Frames of 144 bytes with 576 samples at 24 kHz: 48 kbit/s.
    const frame = Buffer.concat([Buffer.from([0xff, 0xf3, 0x64, 0xc4]), Buffer.alloc(140)])
    const mp3 = Buffer.concat(Array.from({ length: 2_500 }, () => frame))
    expect(await spoken('audio/mpeg', mp3)).toBeWithin(minute * 0.99, minute * 1.01)
    expect(await spoken('audio/pcm', Buffer.alloc(48_000 * 60))).toBe(minute)
    const wav = Buffer.from(await wavFile(60).arrayBuffer())
    expect(await spoken('audio/wav', wav)).toBeWithin(minute, minute * 1.01)
  })

  test('by its characters where the length is not known, or makes no sense', async () => {
    expect(await spoken('audio/mpeg', Buffer.from('no sound'))).toBe(characters)
    const liar = Buffer.from(await wavFile(60, { bytesPerSecond: 1 }).arrayBuffer())
    expect(await spoken('audio/wav', liar)).toBe(characters)
  })

  test('as before where the price has no length', async () => {
    expect(await spoken('audio/pcm', Buffer.alloc(48_000 * 60), 'tts-1')).toBe(30 * 7.5)
  })
})
