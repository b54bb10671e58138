import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../app.ts'
import { type ClientStream, chats, generated, messages, responses } from '../client-streams.ts'
import { events, json, type Script } from '../fake-upstream.ts'

// Images in responses: every client gets them in the form of its protocol, and may send them back.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
beforeEach(() =>
  app.upstream.always(({ path }) =>
    /chat\/completions$|generateContent|\/messages$/i.test(path) ? null : json({ error: 'no such path' }, 404),
  ),
)
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

const clients: readonly ClientStream[] = [chats, messages, responses, generated]
const model = 'google/gemini-2.5-flash-image'
const png = `iVBORw0KGgo${'A'.repeat(200)}`
const address = `data:image/png;base64,${png}`
const page = 'https://pictures.example/bridge.png'

const usage = { prompt_tokens: 20, completion_tokens: 1_290, total_tokens: 1_310 }
const metadata = { promptTokenCount: 20, candidatesTokenCount: 1_290, totalTokenCount: 1_310 }
const head = { id: 'chatcmpl-1', created: 1, model }
const image = (url: string) => ({ type: 'image_url', image_url: { url } })

function asChat(message: object): readonly [whole: Script, stream: Script] {
  const whole = { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }
  const of = (delta: object, finish_reason: string | null) => ({
    ...{ ...head, object: 'chat.completion.chunk' },
    choices: [{ index: 0, delta, finish_reason }],
  })
  return [json(whole), events([of({ role: 'assistant', ...message }, null), { ...of({}, 'stop'), usage }, '[DONE]'])]
}

function asGoogle(parts: readonly object[]): readonly [whole: Script, stream: Script] {
  const whole = { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }], usageMetadata: metadata }
  return [json(whole), events([whole])]
}

const words = 'Here it is.'
/** Types of channels, and how their responses have an image. */
const forms: ReadonlyArray<readonly [string, number, readonly [Script, Script]]> = [
  ['beside the text, at OpenRouter', 20, asChat({ role: 'assistant', content: words, images: [image(address)] })],
  ['as a text, at a server of its own', 8, asChat({ content: words, images: [{ type: 'image_url', image_url: address }] })],
  ['within the content, at a server of its own', 8, asChat({ content: [{ type: 'text', text: words }, image(address)] })],
  ['among the parts, at Gemini', 24, asGoogle([{ text: words }, { inlineData: { mimeType: 'image/png', data: png } }])],
]

async function keyAt(type: number, models = model) {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  await app.make.channel({ groups, type, models, baseUrl: app.upstream.url })
  return (await app.make.token(await app.make.user({ groups, quota: 100_000_000 }), { isUnlimited: true })).key
}

interface ResponseRequest {
  readonly key: string
  readonly script: Script
  readonly isStream: boolean
  readonly more?: object
}

async function ask(client: ClientStream, { key, script, isStream, more = {} }: ResponseRequest): Promise<string> {
  app.upstream.script(script)
  const path = isStream ? client.pathOf(model) : client.pathOf(model).replace('streamGenerateContent?alt=sse', 'generateContent')
  const body = { ...client.bodyOf({ model, content: 'Draw.' }), ...(client === generated ? {} : { stream: isStream }), ...more }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
  const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  expect([response.status, response.status === 200 ? '' : text]).toEqual([200, ''])
  return text
}

type Data = Readonly<Record<string, unknown>>
/** The data of the events of a stream, or the whole response. */
const dataIn = (text: string): readonly Data[] =>
  (text.startsWith('{')
    ? [text]
    : text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [line.slice('data: '.length)] : []))
  ).map(
    // Holds: responses and their events are objects.
    (data) => JSON.parse(data) as Data,
  )

/** Every object in a value that has all of these members, in order. */
function having(value: unknown, members: Data): readonly Data[] {
  if (typeof value !== 'object' || value === null) return []
  // Holds: whatever has members is read by their names.
  const data = value as Data
  const own = Object.entries(members).every(([name, expected]) => data[name] === expected) ? [data] : []
  return [...own, ...Object.values(data).flatMap((inner) => having(inner, members))]
}

describe.each(forms)('an image %s', (_form, type, [whole, stream]) => {
  const cases = [true, false].map((isStream) => [isStream ? 'in a stream' : 'in a whole answer', isStream] as const)

  test.each(cases)('is a block of a message, %s', async (_name, isStream) => {
    const data = dataIn(await ask(messages, { key: await keyAt(type), script: isStream ? stream : whole, isStream }))
    const block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }
    expect(having(data, { type: 'image' })).toEqual([block])
    if (isStream)
      expect(data.filter(({ index }) => index === 1).map((event) => event['type'])).toEqual(['content_block_start', 'content_block_stop'])
    else expect(data[0]?.['content']).toEqual([{ type: 'text', text: words }, block])
  })

  test.each(cases)('is an item of a response, %s', async (_name, isStream) => {
    const data = dataIn(await ask(responses, { key: await keyAt(type), script: isStream ? stream : whole, isStream }))
    const item = { type: 'image_generation_call', status: 'completed', result: png, output_format: 'png' }
    // Holds: the last event of a response has all of it.
    const last = (isStream ? data.at(-1)?.['response'] : data[0]) as Data
    expect(last['output']).toMatchObject([{ type: 'message', content: [{ type: 'output_text', text: words }] }, item])
    const { id } = having(last, { type: 'image_generation_call' })[0] ?? {}
    expect(id).toStartWith('ig_')
    if (!isStream) return
    const begun = { type: 'response.output_item.added', output_index: 1, item: { ...item, id, status: 'in_progress', result: null } }
    expect(data.filter(({ output_index: index }) => index === 1)).toMatchObject([begun, { type: 'response.output_item.done', item }])
  })

  test.each(cases)('stays with a chat and is a part of a candidate, %s', async (_name, isStream) => {
    for (const client of [chats, generated]) {
      const data = dataIn(await ask(client, { key: await keyAt(type), script: isStream ? stream : whole, isStream }))
      // As the vendor wrote it.
      if (client === chats)
        expect(having(data, { type: 'image_url' }).map((one) => JSON.stringify(one))).toEqual([expect.stringContaining(address)])
      else expect(having(data, { mimeType: 'image/png' })).toEqual([{ mimeType: 'image/png', data: png }])
    }
  })
})

test('an image that the vendor keeps is returned by its address', async () => {
  const [whole] = asChat({ content: words, images: [image(page)] })
  const texts = await Promise.all(clients.map(async (client) => await ask(client, { key: await keyAt(8), script: whole, isStream: false })))
  for (const text of texts) expect(text).toContain(page)
  expect(having(dataIn(texts[1] ?? ''), { type: 'image' })).toEqual([{ type: 'image', source: { type: 'url', url: page } }])
})

test('Anthropic’s own client keeps the image of a stream, and may send it back', async () => {
  const key = await keyAt(24)
  const client = new Anthropic({ apiKey: key, baseURL: app.url, maxRetries: 0 })
  const question = { role: 'user' as const, content: 'Draw.' }
  const [, stream] = asGoogle([{ text: words }, { inlineData: { mimeType: 'image/png', data: png }, thoughtSignature: 'c2ln' }])
  app.upstream.script(stream)
  const { content } = await client.messages.stream({ model, max_tokens: 100, messages: [question] }).finalMessage()
  const source = { type: 'base64', media_type: 'image/png', data: png }
  expect(content as readonly unknown[]).toMatchObject([
    { type: 'text', text: words },
    { type: 'image', source },
  ])
  // Holds: an agent sends back what it got, whatever its types say.
  const response = { role: 'assistant' as const, content: content as Anthropic.ContentBlockParam[] }
  const history = [question, response, { role: 'user' as const, content: 'Make it red.' }]
  app.upstream.script(asGoogle([{ text: 'Red.' }])[0])
  await client.messages.create({ model, max_tokens: 100, messages: history })
  const generated = { inlineData: { mimeType: 'image/png', data: png }, thoughtSignature: 'c2ln' }
  expect(JSON.parse(app.upstream.received.at(-1)?.body ?? '')).toMatchObject({
    contents: [{}, { parts: [{ text: words }, generated] }, {}],
  })
})

describe('an image that comes back', () => {
  const turn = {
    role: 'assistant',
    content: [
      { type: 'text', text: words },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
    ],
  }
  const history = { messages: [{ role: 'user', content: 'Draw.' }, turn, { role: 'user', content: 'Make it red.' }] }
  const item = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: png, output_format: 'png' }
  const input = [{ role: 'user', content: 'Draw.' }, item, { role: 'user', content: 'Make it red.' }]
  const lastBody = (): string => app.upstream.received.at(-1)?.body ?? ''
  const noted = async () => {
    await app.app.ledger.drain()
    return (await app.data(contract.log.list, {}))[0]?.rewrites
  }
  const [responded] = asChat({ role: 'assistant', content: 'Red.' })

  test('is an image of the model where the vendor reads one', async () => {
    await ask(messages, { key: await keyAt(20), script: responded, isStream: false, more: history })
    expect(JSON.parse(lastBody())).toMatchObject({ messages: [{}, { role: 'assistant', content: words, images: [image(address)] }, {}] })
    await ask(responses, { key: await keyAt(24), script: asGoogle([{ text: 'Red.' }])[0], isStream: false, more: { input } })
    const generated = { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: png } }] }
    expect(JSON.parse(lastBody())).toMatchObject({ contents: [{}, generated, {}] })
  })

  test('is left out of a message elsewhere, which is noted, and put into words in a response', async () => {
    await ask(messages, { key: await keyAt(8), script: responded, isStream: false, more: history })
    expect(lastBody()).not.toContain(png)
    expect(lastBody()).toContain(words)
    expect(await noted()).toEqual([{ kind: 'messages', what: 'images' }])
    await ask(responses, { key: await keyAt(8), script: responded, isStream: false, more: { input } })
    expect(lastBody()).not.toContain(png)
    expect(lastBody()).toContain('The image was generated.')
  })

  test('is left out at Claude, which takes none in its turns, also where nothing else is said', async () => {
    const response = {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model,
      content: [{ type: 'text', text: 'Red.' }],
      stop_reason: 'end_turn',
    }
    const script = json({ ...response, usage: { input_tokens: 20, output_tokens: 10 } })
    await ask(messages, { key: await keyAt(14), script, isStream: false, more: history })
    expect(JSON.parse(lastBody())).toMatchObject({ messages: [{}, { content: [{ type: 'text', text: words }] }, {}] })
    expect(await noted()).toEqual([{ kind: 'messages', what: 'image of the assistant' }])
    const bare = {
      messages: [
        { role: 'user', content: 'Draw.' },
        { ...turn, content: turn.content.slice(1) },
        { role: 'user', content: 'Again.' },
      ],
    }
    await ask(messages, { key: await keyAt(14), script, isStream: false, more: bare })
    expect(JSON.parse(lastBody())).toMatchObject({ messages: [{ content: 'Draw.' }, { role: 'user', content: 'Again.' }] })
    await ask(responses, { key: await keyAt(14), script, isStream: false, more: { input } })
    expect(lastBody()).not.toContain(png)
  })

  test('goes on from a stored response, with its bytes if they are not long', async () => {
    const red = asGoogle([{ text: 'Red.' }])[0]
    for (const [data, expected] of [
      [png, `"data":"${png}"`],
      ['A'.repeat(600_000), 'The image was generated.'],
    ] as const) {
      const key = await keyAt(24)
      const [whole] = asGoogle([{ inlineData: { mimeType: 'image/png', data } }])
      const [first] = dataIn(await ask(responses, { key, script: whole, isStream: false, more: { store: true } }))
      expect(having(first, { type: 'image_generation_call' })).toMatchObject([{ result: data }])
      await app.app.ledger.drain()
      const more = { store: true, previous_response_id: first?.['id'], input: 'Make it red.' }
      await ask(responses, { key, script: red, isStream: false, more })
      expect(lastBody()).toContain(expected)
    }
  })
})
