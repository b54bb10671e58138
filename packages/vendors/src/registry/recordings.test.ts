import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { accumulate, play } from '../../test/accumulate.ts'
import { filesIn, freeze } from '../../test/files.ts'
import { isObject, parseJson } from '../core/is-object.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { ResponseContext } from '../core/response.ts'
import type { Usage } from '../core/usage.ts'
import { vendorByType } from './list.ts'

/** Recorded responses of real vendors, in a folder outside the repository; without it, only the last test runs. */
const recordings = join(import.meta.dir, '../../../../../shared/fixtures')
const context: ResponseContext = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'm' }

/** The folders by the type of the vendor that responded; in others no dialect of ours is spoken, or no chat was recorded. */
const types: Readonly<Record<string, number>> = {
  ...{ alibaba: 17, 'amazon-bedrock': 33, anthropic: 14, cohere: 35, deepseek: 36, google: 24 },
  ...{ groq: 29, mistral: 28, moonshotai: 25, openai: 1, togetherai: 39 },
}

const recorded = (existsSync(recordings) ? readdirSync(recordings, { withFileTypes: true }) : []).flatMap((entry) => {
  if (!entry.isDirectory()) return []
  const vendor = vendorByType(types[entry.name] ?? 0)
  const choice = vendor?.dialects.chat
  const spoken = typeof choice === 'function' ? choice('') : choice
  if (vendor === null || spoken === undefined || spoken === null) throw new Error(`nothing reads the recordings of ${entry.name}`)
  return [{ name: vendor.name, dialect: spoken, folder: join(recordings, entry.name) }]
})

/** The vendor's total, or else the sum of its counts. */
function totalOf(usage: Json | undefined): number | null {
  if (!isObject(usage)) return null
  const whole = usage['total_tokens'] ?? usage['totalTokenCount'] ?? usage['totalTokens']
  if (typeof whole === 'number') return whole
  // Cohere charges for what it calls billed, not for the tokens of its own instructions.
  const counts = isObject(usage['billed_units']) ? usage['billed_units'] : usage
  const parts = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'].map((name) => counts[name])
  return parts.reduce<number>((sum, part) => sum + (typeof part === 'number' ? part : 0), 0)
}

function usageOf(body: JsonObject): Json | undefined {
  const rawUsage = body['usage'] ?? body['usageMetadata']
  if (rawUsage !== undefined) return rawUsage
  const inner = [body['metadata'], body['delta']].find((part) => isObject(part) && part['usage'] !== undefined)
  return isObject(inner) ? inner['usage'] : undefined
}

function expectTotal(usage: Usage | null, rawUsage: Json | undefined): void {
  expect(usage === null ? null : usage.promptTokens + usage.completionTokens).toBe(totalOf(rawUsage))
}

/** Whether it is the response to a chat; there are recordings of other kinds too. */
function isChat(body: JsonObject): boolean {
  return (
    body['object'] === 'chat.completion' ||
    (body['type'] === 'message' && body['role'] === 'assistant') ||
    Array.isArray(body['candidates']) ||
    (isObject(body['output']) && typeof body['stopReason'] === 'string') ||
    (isObject(body['message']) && typeof body['finish_reason'] === 'string')
  )
}

function isChatEvent(event: JsonObject): boolean {
  return (
    event['object'] === 'chat.completion.chunk' ||
    event['type'] === 'message_delta' ||
    event['type'] === 'message-end' ||
    Array.isArray(event['candidates']) ||
    isObject(event['messageStop'])
  )
}

/** AWS names an event in its frame, of which the recording has kept the name as the only member. */
function namedEvent(line: string): readonly [data: string, name?: string] {
  const event = parseJson(line)
  const [name, ...others] = isObject(event) ? Object.keys(event) : []
  if (!isObject(event) || name === undefined || others.length > 0 || !isObject(event[name])) return [line]
  return [JSON.stringify(event[name]), name]
}

function argumentsIn(message: Json | undefined): readonly string[] {
  const calls = isObject(message) ? message['tool_calls'] : undefined
  const called = Array.isArray(calls) ? calls.filter(isObject).map((call) => call['function']) : []
  return called.filter(isObject).map((part) => String(part['arguments']))
}

for (const { name, dialect, folder } of recorded) {
  describe(`${name}, recorded`, () => {
    for (const file of filesIn(folder, '.json')) {
      const body = parseJson(readFileSync(join(folder, `${file}.json`), 'utf8'))
      if (!isObject(body)) continue
      test(file, () => {
        const response = dialect.response(freeze(body), context)
        if (isObject(body['error'])) expect(response).toHaveProperty('kind')
        if (!isChat(body)) return
        expect(response).toHaveProperty('response')
        if (response === null || 'kind' in response) return
        expectTotal(response.usage, usageOf(body))
        const [choice] = Array.isArray(response.response['choices']) ? response.response['choices'].filter(isObject) : []
        expect(['stop', 'length', 'tool_calls', 'content_filter']).toContain(String(choice?.['finish_reason']))
        for (const text of argumentsIn(choice?.['message'])) expect(isObject(parseJson(text))).toBe(true)
      })
    }

    for (const file of filesIn(folder, '.chunks.txt')) {
      const lines = readFileSync(join(folder, `${file}.chunks.txt`), 'utf8')
        .split('\n')
        .filter(Boolean)
      const events = lines.map(parseJson).filter(isObject)
      test(`${file}, streamed`, () => {
        const { chunks, complete, usage, failures } = play(dialect.stream(context), lines.map(namedEvent))
        if (!events.some(isChatEvent)) return
        expect({ complete, failures }).toEqual({ complete: true, failures: [] })
        expectTotal(usage, events.map(usageOf).findLast(isObject))
        const { message, reasons } = accumulate(chunks)
        expect(reasons).toHaveLength(1)
        for (const text of argumentsIn(message)) expect(isObject(parseJson(text))).toBe(true)
      })
    }
  })
}

test('no two folders of recordings belong to the same vendor', () => {
  expect(new Set(recorded.map(({ name }) => name)).size).toBe(recorded.length)
})
