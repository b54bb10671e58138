import { describe, expect, test } from 'bun:test'
import { exampleChannel } from '../../../test/channel.ts'
import type { JsonObject } from '../../core/json.ts'
import { vendorByType } from '../../registry/list.ts'
import { buildRequest } from '../../registry/request/build-request.ts'

/** The request for a chat of a type. */
function requestOf(type: number, model: string, chat: JsonObject) {
  const vendor = vendorByType(type)
  if (vendor === null) throw new Error(`no vendor has the type ${type}`)
  const { vendor: used, facts } = exampleChannel(vendor)
  const body = { model, messages: [{ role: 'user', content: 'Hi' }], ...chat }
  return buildRequest(used, body, { kind: 'chat', model, stream: false, channel: facts })
}

const options = {
  web_search_options: { search_context_size: 'low', user_location: { type: 'approximate', approximate: { country: 'PT' } } },
}
const tool = {
  tools: [{ type: 'web_search', filters: { allowed_domains: ['a.example'] }, user_location: { type: 'approximate', country: 'PT' } }],
}

describe('a search of the web that a chat asks for', () => {
  test.each([
    [11, 'PaLM-2'],
    [28, 'mistral-large-4'],
    [29, 'openai/gpt-oss-120b'],
    [30, 'llama3'],
    [33, 'amazon-nova-pro'],
    [33, 'claude-sonnet-5'],
    [33, 'openai.gpt-6-sol'],
    [35, 'command-a-03-2025'],
    [37, '@cf/openai/gpt-oss-120b'],
    [38, 'deepl-en'],
    [39, 'zai-org/GLM-5.3'],
    [41, 'deepseek/deepseek-v4-pro'],
    [42, 'openai/gpt-oss-120b-maas'],
  ])('is refused by name at type %d for %s', (type, model) => {
    expect(requestOf(type, model, options).refused).toBe('web_search_options')
    expect(requestOf(type, model, tool).refused).toStartWith('tools')
    expect(requestOf(type, model, {}).refused).toBeUndefined()
  })

  test.each([
    [14, 'claude-sonnet-5'],
    [24, 'gemini-3.8-flash'],
    [42, 'gemini-3.8-flash'],
    [42, 'claude-sonnet-5'],
  ])('is the vendor’s own tool at type %d for %s', (type, model) => {
    for (const chat of [options, { tools: [{ type: 'web_search' }] }]) {
      const { body, refused } = requestOf(type, model, chat)
      expect(refused).toBeUndefined()
      expect(JSON.stringify(body['tools'])).toMatch(/googleSearch|web_search_2025/)
    }
  })

  test('is OpenRouter’s own tool, with the place, the domains and the size', () => {
    const place = { type: 'approximate', country: 'PT' }
    expect(requestOf(20, 'openai/gpt-5.5', options).body).toMatchObject({
      tools: [{ type: 'openrouter:web_search', parameters: { search_context_size: 'low', user_location: place } }],
    })
    expect(Object.keys(requestOf(20, 'openai/gpt-5.5', options).body)).not.toContain('web_search_options')
    const weather = { type: 'function', function: { name: 'weather' } }
    expect(requestOf(20, 'openai/gpt-5.5', { tools: [weather, ...tool.tools] }).body['tools']).toEqual([
      weather,
      { type: 'openrouter:web_search', parameters: { allowed_domains: ['a.example'], user_location: place } },
    ])
    expect(requestOf(20, 'openai/gpt-5.5', { web_search_options: {} }).body['tools']).toEqual([{ type: 'openrouter:web_search' }])
    expect(requestOf(20, 'openai/gpt-5.5', { ...tool, tool_choice: { type: 'web_search' } }).refused).toBe('tool_choice')
    expect(requestOf(20, 'openai/gpt-5.5', { tools: [weather] }).body['tools']).toEqual([weather])
  })
})
