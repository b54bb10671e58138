import { expect } from 'bun:test'
import type { TestApp } from '../app.ts'
import { chatResponse, chatStream, json, type Received, type Script } from '../fake-upstream.ts'

// One channel of each form of vendor, which responds to each request briefly: what it got is looked at.

export const model = 'our-model'
const keys: Readonly<Record<number, string>> = {
  33: 'AKIDEXAMPLE|wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY|us-east-1',
  42: 'us-central1|proj-1|AIzaSyA1234567890abcdefghijklmnopqrstu',
}

const responses = {
  claude: {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-x', stop_reason: 'end_turn', stop_sequence: null },
    content: [{ type: 'text', text: 'Done.' }],
    usage: { input_tokens: 10, output_tokens: 5 },
  },
  gemini: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Done.' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  },
  converse: {
    output: { message: { role: 'assistant', content: [{ text: 'Done.' }] } },
    ...{ stopReason: 'end_turn', usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 }, metrics: { latencyMs: 1 } },
  },
  cohere: {
    ...{ id: '1', finish_reason: 'COMPLETE', message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] } },
    usage: { billed_units: { input_tokens: 10, output_tokens: 5 } },
  },
  ollama: { model: 'm', done: true, message: { role: 'assistant', content: 'Done.' }, prompt_eval_count: 10, eval_count: 5 },
} as const

function responseTo({ path, body }: Received): Script {
  if (path.includes('/converse')) return json(responses.converse)
  if (path.includes(':generateContent')) return json(responses.gemini)
  if (path.includes('/v2/chat')) return json(responses.cohere)
  if (path.includes('/api/chat')) return json(responses.ollama)
  if (/messages|rawPredict|\/invoke/i.test(path)) return json(responses.claude)
  return JSON.parse(body).stream === true ? chatStream(['Do', 'ne.']) : json(chatResponse('Done.'))
}

type Body = Readonly<Record<string, unknown>>
export type Refuses = (body: Body) => string | null

interface Place {
  readonly type: number
  readonly upstream: string
  readonly refuses?: Refuses
}

export const places: ReadonlyArray<readonly [type: number, upstream: string]> = [
  ...([
    [1, 'gpt-4o-mini'],
    [8, 'qwen3.6-27b'],
    [14, 'claude-sonnet-4-5'],
    [16, 'glm-5'],
    [17, 'qwen3-max'],
    [20, 'openai/gpt-4o-mini'],
  ] as const),
  ...([
    [23, 'hunyuan-2'],
    [24, 'gemini-3.8-flash'],
    [25, 'kimi-k2.6'],
    [27, 'MiniMax-M3'],
    [28, 'mistral-medium-latest'],
    [29, 'openai/gpt-oss-20b'],
  ] as const),
  ...([
    [30, 'qwen3'],
    [32, 'step-3'],
    [33, 'amazon-nova-pro'],
    [33, 'claude-sonnet-4-5-20250929'],
    [35, 'command-a-03-2025'],
    [36, 'deepseek-v4-flash'],
  ] as const),
  ...([
    [39, 'Qwen/Qwen3-235B'],
    [40, 'doubao-seed-2'],
    [41, 'deepseek/deepseek-v4'],
    [42, 'claude-sonnet-4-6'],
    [42, 'gemini-3.8-flash'],
  ] as const),
]

/** Tokens of accounts with one channel each, and what its vendor gets. */
export function createVendorPlaces(app: () => TestApp) {
  async function tokenAt({ type, upstream, refuses }: Place): Promise<string> {
    const groups = `g${crypto.randomUUID().slice(0, 8)}`
    await app().make.channel({ groups, type, models: model, mapping: { [model]: upstream }, key: keys[type] ?? 'sk-of-the-channel' })
    app().upstream.always((request) => {
      // Servers of one's own, and those behind an interface of OpenAI, may have chats only.
      if (request.path.includes('/responses')) return json({ error: { message: 'no such path' } }, 404)
      const message = refuses?.(JSON.parse(request.body)) ?? null
      return message === null
        ? responseTo(request)
        : json({ error: { message, type: 'invalid_request_error', param: null, code: null } }, 400)
    })
    return (await app().make.token(await app().make.user({ groups, quota: 100_000_000 }), { isUnlimited: true })).key
  }

  /** @returns the bodies that the vendor got */
  async function upstreamBodiesFor(key: string, path: string, body: object): Promise<readonly string[]> {
    const start = app().upstream.received.length
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
    const response = await app().request(path, { method: 'POST', headers, body: JSON.stringify(body) })
    const text = await response.text()
    expect([response.status, response.status === 200 ? '' : text]).toEqual([200, ''])
    expect(text).toContain('ne.')
    const received = app()
      .upstream.received.slice(start)
      .filter((request) => !request.path.includes('/responses'))
    return received.map((request) => request.body)
  }

  /** @returns the error of a request of which no vendor gets anything, and that costs nothing */
  async function refusalOf(key: string, path: string, body: object): Promise<string> {
    const start = app().upstream.received.length
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
    const response = await app().request(path, { method: 'POST', headers, body: JSON.stringify(body) })
    const text = await response.text()
    const upstreamRequests = app()
      .upstream.received.slice(start)
      .filter((request) => !request.path.includes('/responses'))
    expect([response.status, upstreamRequests.length, text]).toEqual([400, 0, expect.any(String)])
    return text
  }

  return { tokenAt, sentFor: upstreamBodiesFor, refusalOf }
}
