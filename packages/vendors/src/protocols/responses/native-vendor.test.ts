import { expect, test } from 'bun:test'
import type { JsonObject } from '../../core/json.ts'
import { vendors } from '../../registry/list.ts'
import { speakingResponses } from './native-vendor.ts'

const group = { type: 'namespace', name: 'agents', tools: [{ type: 'function', name: 'spawn', parameters: {} }] }
const request = { store: false, input: [{ role: 'user', content: 'Hi' }] }

/** Names of the vendors that get such a request as it was sent, at their own hosts. */
const takers = (body: JsonObject): readonly string[] =>
  vendors
    .filter(
      (vendor) => speakingResponses(vendor, { body, model: vendor.models.names[0] ?? '', baseUrl: vendor.routes.baseUrl ?? '' }) !== null,
    )
    .map(({ name }) => name)

test('responses beside chats are taken for what each record says', () => {
  expect(takers(request)).toEqual(['DeepSeek', 'proxy OpenRouter'])
  expect(takers({ ...request, tools: [group] })).toEqual(['proxy OpenRouter'])
  expect(takers({ ...request, reasoning: { effort: 'low' } })).toEqual(['DeepSeek', 'proxy OpenRouter'])
  expect(takers({ ...request, reasoning: { effort: 'medium' } })).toEqual(['proxy OpenRouter'])
  expect(takers({ input: 'Hi' })).toEqual([])
})

test('a server of somebody else has chats only', () => {
  const matches = vendors.map((vendor) =>
    speakingResponses(vendor, { body: request, model: vendor.models.names[0] ?? '', baseUrl: 'https://mirror.example' }),
  )
  expect(matches.filter((vendor) => vendor !== null)).toEqual([])
})
