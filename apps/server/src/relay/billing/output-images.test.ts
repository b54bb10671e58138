import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { accountScene } from '../../../test/account-scene.ts'
import { type TestApp, testApp } from '../../../test/app.ts'
import { events, json, type Script } from '../../../test/fake-upstream.ts'

// Images in the responses of chats: each is paid, whatever its vendor counts.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await app.data(contract.option.update, { key: 'PreConsumedQuota', value: '0' })
  await app.make.channel({ type: 20, models: 'google/gemini-2.5-flash-image,black-forest-labs/flux.2-pro' })
  await app.make.channel({ type: 24, models: 'gemini-2.5-flash-image,gemini-3.1-flash-lite-image' })
}, 60_000)
afterAll(() => app.close())
afterEach(async () => {
  expect(app.app.ledger.openHolds()).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
})

const dollar = 500_000
/** Tokens of one image. */
const each = 1_290
const png = `iVBORw0KGgo${'A'.repeat(2_000)}`

/** How a vendor reports its usage. */
type UsageForm = 'apart' | 'together' | 'never'

interface ImageCase {
  readonly images: number
  readonly usageForm: UsageForm
}

function usageOf({ images, usageForm }: ImageCase): object {
  const completion_tokens = images * each
  const usage = { prompt_tokens: 20, completion_tokens, total_tokens: completion_tokens + 20 }
  if (usageForm === 'never') return {}
  return { usage: usageForm === 'together' ? usage : { ...usage, completion_tokens_details: { image_tokens: completion_tokens } } }
}

function metadataOf({ images, usageForm }: ImageCase): object {
  const candidatesTokenCount = images * each
  const usage = { promptTokenCount: 20, candidatesTokenCount, totalTokenCount: candidatesTokenCount + 20 }
  if (usageForm === 'never') return {}
  const candidatesTokensDetails = [{ modality: 'IMAGE', tokenCount: candidatesTokenCount }]
  return { usageMetadata: usageForm === 'together' ? usage : { ...usage, candidatesTokensDetails } }
}

const listOf = (images: number) =>
  Array.from({ length: images }, (_, index) => ({ index, type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }))

const partsOf = (images: number) => Array.from({ length: images }, () => ({ inlineData: { mimeType: 'image/png', data: png } }))

/** The responses of both protocols, whole and as a stream. */
const responses: Readonly<Record<'chat' | 'google', Readonly<Record<'whole' | 'stream', (imageCase: ImageCase) => Script>>>> = {
  chat: {
    whole(imageCase) {
      const message = { role: 'assistant', content: '', images: listOf(imageCase.images) }
      const choices = [{ index: 0, message, finish_reason: 'stop' }]
      return json({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, ...usageOf(imageCase) })
    },
    stream(imageCase) {
      const of = (delta: object, finish_reason: string | null, more: object = {}) => ({
        ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
        choices: [{ index: 0, delta, finish_reason }],
        ...more,
      })
      const each = listOf(imageCase.images).map((image) => of({ content: '', images: [image] }, null))
      return events([...each, of({}, 'stop', usageOf(imageCase)), '[DONE]'])
    },
  },
  google: {
    whole(imageCase) {
      const candidates = [{ index: 0, content: { role: 'model', parts: partsOf(imageCase.images) }, finishReason: 'STOP' }]
      return json({ candidates, ...metadataOf(imageCase) })
    },
    stream(imageCase) {
      const each = partsOf(imageCase.images).map((part) => ({ candidates: [{ index: 0, content: { role: 'model', parts: [part] } }] }))
      const end = { candidates: [{ index: 0, content: { role: 'model', parts: [] }, finishReason: 'STOP' }], ...metadataOf(imageCase) }
      return events([...each, end])
    },
  },
}

const messages = [{ role: 'user', content: 'Draw a bridge.' }]
const calls = {
  '/v1/chat/completions': (model: string, stream: boolean) => [undefined, { model, messages, stream }] as const,
  '/v1/messages': (model: string, stream: boolean) => [undefined, { model, messages, stream, max_tokens: 9_000 }] as const,
  '/v1/responses': (model: string, stream: boolean) => [undefined, { model, input: 'Draw a bridge.', stream }] as const,
  generateContent: (model: string, stream: boolean) =>
    [
      `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      { contents: [{ role: 'user', parts: [{ text: 'Draw a bridge.' }] }] },
    ] as const,
}

/** What a call costs, without its prompt. */
async function costOf(
  call: keyof typeof calls,
  model: string,
  { responded: imageCase, form }: { responded: ImageCase; form: 'whole' | 'stream' },
) {
  const { rowOf } = await accountScene(app, { quota: 10 * dollar })
  const [path = call, body] = calls[call](model, form === 'stream')
  return (await rowOf(path, body, responses[model.includes('/') ? 'chat' : 'google'][form](imageCase))).quota
}

const clients = Object.keys(calls) as readonly (keyof typeof calls)[]
const usageForms: readonly UsageForm[] = ['apart', 'together', 'never']
const forms = ['whole', 'stream'] as const
const cases = clients.flatMap((call) => usageForms.flatMap((how) => forms.map((form) => [call, how, form] as const)))

test.each(forms)('images in the list of content cost as much as those beside it, if the vendor counts nothing: %s', async (form) => {
  const { rowOf } = await accountScene(app, { quota: 10 * dollar })
  const choice = (place: 'message' | 'delta') => ({ index: 0, [place]: { role: 'assistant', content: listOf(3) }, finish_reason: 'stop' })
  const head = { id: 'c', created: 1, model: 'm' }
  const script = {
    whole: json({ ...head, object: 'chat.completion', choices: [choice('message')] }),
    stream: events([{ ...head, object: 'chat.completion.chunk', choices: [choice('delta')] }, '[DONE]']),
  }
  const model = 'google/gemini-2.5-flash-image'
  const row = await rowOf('/v1/chat/completions', { model, messages, stream: form === 'stream' }, script[form])
  const beside = await costOf('/v1/chat/completions', model, { responded: { images: 3, usageForm: 'never' }, form })
  expect(row.quota).toBe(beside)
})

describe('three images cost three', () => {
  test.each(cases)('by %s, usage %s, %s: for models priced by tokens', async (call, how, form) => {
    // 30 dollars for a million tokens of images, and nearly nothing for the prompt.
    const cost = 3 * each * 0.15 * 100
    for (const model of ['google/gemini-2.5-flash-image', 'gemini-2.5-flash-image']) {
      const paid = await costOf(call, model, { responded: { images: 3, usageForm: how }, form })
      // Where Google reports no tokens, its price per image applies, which is 0.039 dollars.
      expect(paid).toBeWithin(cost * 0.99, cost * 1.02)
    }
  })

  test.each(cases)('by %s, usage %s, %s: for models priced by the image', async (call, how, form) => {
    const imageCase = { images: 3, usageForm: how }
    expect(await costOf(call, 'black-forest-labs/flux.2-pro', { responded: imageCase, form })).toBe(3 * 0.03 * dollar)
    expect(await costOf(call, 'gemini-3.1-flash-lite-image', { responded: imageCase, form })).toBe(3 * 0.0336 * dollar)
  })
})

test('one image costs one, and words without an image what the model asks for one', async () => {
  const once = { responded: { images: 1, usageForm: 'apart' }, form: 'whole' } as const
  expect(await costOf('/v1/chat/completions', 'black-forest-labs/flux.2-pro', once)).toBe(0.03 * dollar)
  const none = { responded: { images: 0, usageForm: 'apart' }, form: 'whole' } as const
  expect(await costOf('/v1/chat/completions', 'black-forest-labs/flux.2-pro', none)).toBe(0.03 * dollar)
})
