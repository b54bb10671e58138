import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../app.ts'
import type { Received } from '../fake-upstream.ts'
import { anthropicDouble } from './doubles/anthropic.ts'
import { bedrockClaudeDouble, bedrockDouble } from './doubles/bedrock.ts'
import { cohereDouble } from './doubles/cohere.ts'
import { mistralDouble, moonshotDouble } from './doubles/compatible.ts'
import { cloudClaudeDouble, cloudGeminiDouble, geminiDouble } from './doubles/gemini.ts'
import { ollamaDouble } from './doubles/ollama.ts'
import { openaiDouble } from './doubles/openai.ts'
import { responsesDouble } from './doubles/responses.ts'
import type { VendorDouble } from './vendor-double.ts'

// Files, images and characters that clients send, and the form in which each vendor reads them.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

interface MediaFile {
  readonly name: string
  readonly type: string
  readonly data: string
}

interface MediaOptions {
  readonly model: string
  readonly text?: string
  /** Beside the text of the user. */
  readonly file?: MediaFile
  /** In the result of a tool, beside its text. */
  readonly resultFile?: MediaFile
  readonly resultText?: string
}

interface Client {
  readonly path: (model: string) => string
  readonly body: (options: MediaOptions) => object
  /** The client's names of what vendors refuse. */
  readonly names: { readonly file: string }
}

const parts = <T>(...list: readonly (T | undefined)[]): readonly T[] => list.filter((part) => part !== undefined)
const isImage = ({ type, name }: MediaFile): boolean => type.startsWith('image/') || /\.(?:png|jpg)$/.test(name)
const address = ({ type, data }: MediaFile): string => `data:${type};base64,${data}`
const schema = { type: 'object', properties: { city: { type: 'string' } } }

const chatPart = (file: MediaFile | undefined): object | undefined => {
  if (file === undefined) return undefined
  return isImage(file)
    ? { type: 'image_url', image_url: { url: address(file) } }
    : { type: 'file', file: { filename: file.name, file_data: address(file) } }
}
const itemPart = (file: MediaFile | undefined): object | undefined => {
  if (file === undefined) return undefined
  return isImage(file)
    ? { type: 'input_image', image_url: address(file) }
    : { type: 'input_file', filename: file.name, file_data: address(file) }
}
const blockOf = (file: MediaFile | undefined): object | undefined => {
  if (file === undefined) return undefined
  const source = { type: 'base64', media_type: file.type, data: file.data }
  return isImage(file) ? { type: 'image', source } : { type: 'document', title: file.name, source }
}
const inlineOf = (file: MediaFile | undefined): object | undefined =>
  file === undefined ? undefined : { inlineData: { mimeType: file.type, data: file.data } }

const clients: Readonly<Record<'chat' | 'responses' | 'messages' | 'generateContent', Client>> = {
  chat: {
    path: () => '/v1/chat/completions',
    names: { file: 'file' },
    body: ({ model, text = 'Look', file, resultFile, resultText = 'RESULT' }) => ({
      ...{ model, max_tokens: 100 },
      tools: [{ type: 'function', function: { name: 'look', parameters: schema } }],
      messages: [
        { role: 'user', content: parts<object>({ type: 'text', text }, chatPart(file)) },
        { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }] },
        { role: 'tool', tool_call_id: 'call_1', content: parts<object>({ type: 'text', text: resultText }, chatPart(resultFile)) },
      ],
    }),
  },
  responses: {
    path: () => '/v1/responses',
    names: { file: 'input_file' },
    body: ({ model, text = 'Look', file, resultFile, resultText = 'RESULT' }) => ({
      ...{ model, max_output_tokens: 100, store: false },
      tools: [{ type: 'function', name: 'look', parameters: schema, strict: false }],
      input: [
        { role: 'user', content: parts<object>({ type: 'input_text', text }, itemPart(file)) },
        { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' },
        {
          ...{ type: 'function_call_output', call_id: 'call_1' },
          output: parts<object>({ type: 'input_text', text: resultText }, itemPart(resultFile)),
        },
      ],
    }),
  },
  messages: {
    path: () => '/v1/messages',
    names: { file: 'messages[].content[].document' },
    body: ({ model, text = 'Look', file, resultFile, resultText = 'RESULT' }) => ({
      ...{ model, max_tokens: 100 },
      tools: [{ name: 'look', input_schema: schema }],
      messages: [
        { role: 'user', content: parts<object>({ type: 'text', text }, blockOf(file)) },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }] },
        {
          role: 'user',
          content: [
            {
              ...{ type: 'tool_result', tool_use_id: 'toolu_1' },
              content: parts<object>({ type: 'text', text: resultText }, blockOf(resultFile)),
            },
          ],
        },
      ],
    }),
  },
  generateContent: {
    path: (model) => `/v1beta/models/${model}:generateContent`,
    names: { file: 'contents[].parts[].inlineData' },
    body: ({ text = 'Look', file, resultFile, resultText = 'RESULT' }) => ({
      generationConfig: { maxOutputTokens: 100 },
      tools: [{ functionDeclarations: [{ name: 'look', parametersJsonSchema: schema }] }],
      contents: [
        { role: 'user', parts: parts<object>({ text }, inlineOf(file)) },
        { role: 'model', parts: [{ functionCall: { name: 'look', args: {} } }] },
        {
          role: 'user',
          parts: [
            {
              functionResponse: {
                ...{ name: 'look', response: { output: resultText } },
                ...(resultFile === undefined ? {} : { parts: parts(inlineOf(resultFile)) }),
              },
            },
          ],
        },
      ],
    }),
  },
}

type Name = keyof typeof clients

const doubles = [
  ...[openaiDouble, responsesDouble, moonshotDouble, mistralDouble, anthropicDouble, bedrockClaudeDouble, cloudClaudeDouble],
  ...[geminiDouble, cloudGeminiDouble, bedrockDouble, cohereDouble, ollamaDouble],
]
const claude = [anthropicDouble, bedrockClaudeDouble, cloudClaudeDouble]
const google = [geminiDouble, cloudGeminiDouble]
/** They take no files. */
const fileless = [moonshotDouble, cohereDouble, ollamaDouble]

/** Requests for responses are passed on at OpenAI, which reads files of many types. */
const doublesFor = (client: Name): ReadonlyArray<readonly [string, VendorDouble]> =>
  doubles.filter((double) => client !== 'responses' || double.type !== 1).map((double) => [double.name, double] as const)

async function tokenAt(double: VendorDouble, rewritesOff: readonly string[] = []): Promise<string> {
  const { type, model, key, config, other, grant } = double
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const id = await app.make.channel({
    ...{ groups, type, models: model, key: key.replaceAll('{upstream}', app.upstream.url) },
    ...(config === undefined ? {} : { config }),
    ...(other === undefined ? {} : { other }),
  })
  if (rewritesOff.length > 0) await app.data(contract.channel.update, { id, rewrites_off: rewritesOff.join(',') })
  app.upstream.always((request) => grant?.(request) ?? double.whole({ text: 'Seen', usage: { prompt: 10, completion: 5 } }))
  return (await app.make.token(await app.make.user({ groups, quota: 100_000_000 }), { isUnlimited: true })).key
}

interface Exchange {
  readonly status: number
  readonly response: string
  /** What the vendor got; empty: nothing. */
  readonly body: string
}

interface Sending {
  readonly client: Name
  readonly double: VendorDouble
  /** JSON, where a text of it is no text that `JSON.stringify` writes. */
  readonly change?: (body: string) => string
  readonly rewritesOff?: readonly string[]
}

async function send(
  options: Omit<MediaOptions, 'model'>,
  { client, double, change = (body) => body, rewritesOff }: Sending,
): Promise<Exchange> {
  const key = await tokenAt(double, rewritesOff)
  const { path, body } = clients[client]
  const calls = (): readonly Received[] => app.upstream.received.filter((request) => double.grant?.(request) == null)
  const before = calls().length
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
  const text = change(JSON.stringify(body({ ...options, model: double.model })))
  const response = await app.request(path(double.model), { method: 'POST', headers, body: text })
  const responseText = await response.text()
  return { status: response.status, response: responseText, body: calls().at(before)?.body ?? '' }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const words = 'city,rain\nLisboa,40 "ü"\n'
const csv: MediaFile = { name: 'rain.csv', type: 'text/csv', data: base64(words) }
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)
const pdf: MediaFile = { name: 'plan.pdf', type: 'application/pdf', data: base64('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF') }
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe.each(Object.keys(clients) as readonly Name[])('%s', (client) => {
  describe.each(doublesFor(client))('at %s', (_name, double) => {
    /** Google and Nova read the usual types as files. */
    const keepsCsv = google.includes(double) || double === bedrockDouble
    const textIn = ({ body }: Exchange): boolean => body.includes(escaped(words)) && !body.includes(csv.data)

    test('a file of text is one that the vendor reads', async () => {
      const exchange = await send({ file: csv }, { client, double })
      expect([exchange.status, exchange.status === 200 ? '' : exchange.response]).toEqual([200, ''])
      expect(keepsCsv ? exchange.body.includes(csv.data) : textIn(exchange)).toBe(true)
      if (claude.includes(double))
        expect(exchange.body).toContain(`"source":{"type":"text","media_type":"text/plain","data":"${escaped(words)}"}`)
    })

    test.each([
      ['JSON', { name: 'rain.json', type: 'application/json', data: base64(words) }],
      ['a program', { name: 'rain.py', type: 'text/x-python', data: base64(words) }],
      ['a file that only its name tells', { name: 'rain.md', type: 'application/octet-stream', data: base64(words) }],
    ])('so is %s', async (_what, file) => {
      const exchange = await send({ file }, { client, double })
      expect([exchange.status, exchange.status === 200 ? '' : exchange.response]).toEqual([200, ''])
      const isFile = exchange.body.includes(file.data)
      // As a file it has a type that the vendor knows.
      if (isFile) expect(exchange.body).toMatch(/"(?:mimeType":"text\/[\w-]+|format":"(?:md|txt))"/)
      else expect(textIn(exchange)).toBe(true)
    })

    test('a file of text in the result of a tool is read, too', async () => {
      const exchange = await send({ resultFile: csv }, { client, double })
      expect([exchange.status, exchange.status === 200 ? '' : exchange.response]).toEqual([200, ''])
      expect(exchange.body).toContain('RESULT')
      expect(keepsCsv ? exchange.body.includes(csv.data) : textIn(exchange)).toBe(true)
    })

    test('a PDF in the result of a tool arrives, or is refused by name', async () => {
      const { status, response: responseText, body } = await send({ resultFile: pdf }, { client, double })
      if (fileless.includes(double)) {
        expect([status, body]).toEqual([400, ''])
        expect(responseText).toContain(`Unsupported parameter: ${clients[client].names.file}"`)
        return
      }
      expect([status, status === 200 ? '' : responseText]).toEqual([200, ''])
      expect(body).toContain(pdf.data)
      expect(body).toContain('RESULT')
      // In OpenAI's chats the user shows it, after the results.
      if (client !== 'chat' && double === openaiDouble)
        expect(JSON.parse(body).messages.at(-1)).toMatchObject({ role: 'user', content: [{ type: 'text' }, { type: 'file' }] })
    })

    test.each([
      ['is called JPEG', { name: 'a.jpg', type: 'image/jpeg', data: png }],
      ['has a name for its type that is not registered', { name: 'a.jpg', type: 'image/jpg', data: png }],
      ['has no type', { name: 'a.png', type: 'application/octet-stream', data: png }],
      ['is broken into lines', { name: 'a.png', type: 'image/png', data: `${png.slice(0, 76)}\r\n${png.slice(76)}\n` }],
      ['is in the alphabet for addresses', { name: 'a.png', type: 'image/png', data: png.replaceAll('+', '-').replaceAll('/', '_') }],
    ])('an image that %s has its type and bytes', async (_what, file) => {
      const exchange = await send({ file }, { client, double })
      expect([exchange.status, exchange.status === 200 ? '' : exchange.response]).toEqual([200, ''])
      // Google reads that alphabet, too.
      if (client !== 'generateContent' || !google.includes(double)) expect(exchange.body).toContain(`${png}"`)
      expect(exchange.body).not.toMatch(/image\/jp|"jpeg"|octet-stream/)
      if (double !== ollamaDouble) expect(exchange.body).toMatch(/image\/png|"format":"png"/)
    })

    test('half of a pair becomes U+FFFD, and whole characters stay', async () => {
      const change = (body: string): string =>
        body.replace('"Look"', String.raw`"cut \ud83d here \ud83d\ude00 C:\\udder"`).replace('"RESULT"', String.raw`"RESULT \udc00"`)
      const { status, response: responseText, body } = await send({}, { client, double, change })
      expect([status, status === 200 ? '' : responseText]).toEqual([200, ''])
      expect(body).toContain('cut \ufffd here 😀 C:\\\\udder')
      expect(body).toContain('RESULT \ufffd')
      expect(body).not.toMatch(/[^\\]\\ud[89a-f]/)
    })
  })
})

describe.each(doubles.map((double) => [double.name, double] as const))('a video of Google’s client at %s', (_name, double) => {
  test.each([
    ['by its address', { fileData: { fileUri: 'https://www.youtube.com/watch?v=abc', mimeType: 'video/*' } }],
    ['as bytes', { inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }],
  ])('%s arrives or is refused by name', async (_how, part) => {
    const change = (body: string): string => body.replace('{"text":"Look"}', `{"text":"Look"},${JSON.stringify(part)}`)
    const { status, response: responseText, body } = await send({}, { client: 'generateContent', double, change })
    if (google.includes(double) || double === moonshotDouble) {
      expect([status, status === 200 ? '' : responseText]).toEqual([200, ''])
      expect(body).toMatch(/video/)
      return
    }
    expect([status, body]).toEqual([400, ''])
    expect(responseText).toContain('contents[].parts[] (video)')
  })
})

describe('a document behind an address', () => {
  const part = { fileData: { fileUri: 'https://a.example/plan.pdf', mimeType: 'application/pdf' } }
  const change = (body: string): string => body.replace('{"text":"Look"}', `{"text":"Look"},${JSON.stringify(part)}`)

  test.each([anthropicDouble, mistralDouble].map((double) => [double.name, double] as const))('arrives at %s', async (_name, double) => {
    const { status, body } = await send({}, { client: 'generateContent', double, change })
    expect(status).toBe(200)
    expect(body).toMatch(/"(?:document_)?url":"https:\/\/a\.example\/plan\.pdf"/)
  })

  test('is refused by name in chats of OpenAI, which have none', async () => {
    const { status, response: responseText, body } = await send({}, { client: 'generateContent', double: openaiDouble, change })
    expect([status, body]).toEqual([400, ''])
    expect(responseText).toContain('contents[].parts[].fileData')
  })
})

test('images within a document of blocks arrive in a chat', async () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }
  const document = { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'WITHIN' }, image] } }
  const change = (body: string): string =>
    body.replace('{"type":"text","text":"RESULT"}', `{"type":"text","text":"RESULT"},${JSON.stringify(document)}`)
  const { status, body } = await send({}, { client: 'messages', double: openaiDouble, change })
  expect(status).toBe(200)
  for (const text of ['RESULT', 'WITHIN', png]) expect(body).toContain(text)
})

describe('a channel that leaves files and characters as they are', () => {
  const rewritesOff = ['files', 'characters']

  test.each([
    ['chat', openaiDouble],
    ['messages', anthropicDouble],
    ['generateContent', geminiDouble],
  ] as const)('sends those of %s unchanged', async (client, double) => {
    const change = (body: string): string => body.replace('"Look"', String.raw`"cut \ud83d here"`)
    const file = { name: 'a.jpg', type: 'image/jpeg', data: png }
    const { status, body } = await send({ file, resultFile: csv }, { client, double, change, rewritesOff })
    expect(status).toBe(200)
    expect(body).toContain('image/jpeg')
    expect(body).toContain(csv.data)
    expect(body).toContain(String.raw`cut \ud83d here`)
  })
})
