import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../core/json.ts'
import { carriedText } from '../shared/carried-reasoning.ts'
import { holdsAll } from '../shared/supports-extra.ts'
import { toChat as translate } from './to-chat.ts'

const toChat = (body: JsonObject, holds = holdsAll) => translate(body, holds)
const translated = (more: JsonObject = {}) => toChat({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], ...more })
const chatOf = (more: JsonObject = {}) => translated(more).chat
const configured = (generationConfig: JsonObject) => chatOf({ generationConfig })

describe('the conversation', () => {
  test('gives back what a vendor wants of its reasoning, as far as it holds it', () => {
    const blocks = [{ type: 'thinking', thinking: 'Hm', signature: 'c2ln' }]
    const carried = carriedText({ thought: 'Hm, "ü" 世界', blocks })
    const forAddresses = carriedText({ extra: { google: { thought_signature: '>>>???' } } })
      .replaceAll('+', '-')
      .replaceAll('/', '_')
    const contents = [
      { parts: [{ text: 'Weather?' }] },
      {
        role: 'model',
        parts: [
          { functionCall: { id: 'a', name: 'weather' }, thoughtSignature: carried },
          { functionCall: { id: 'b', name: 'weather' }, thought_signature: forAddresses },
          { text: '', thoughtSignature: 'EqQB' },
        ],
      },
    ]
    const [, all] = (toChat({ contents }).chat['messages'] ?? []) as readonly JsonObject[]
    expect(all).toMatchObject({ reasoning_content: 'Hm, "ü" 世界', thinking_blocks: blocks })
    expect(all?.['tool_calls']).toMatchObject([{ id: 'a' }, { id: 'b', extra_content: { google: { thought_signature: '>>>???' } } }])
    const nothing = JSON.stringify(toChat({ contents }, () => false).chat)
    expect(nothing).not.toMatch(/reasoning|thinking|extra|sluice|c2x1/)
  })

  test('has the instruction first, and plain texts as plain content', () => {
    expect(chatOf({ systemInstruction: { parts: [{ text: 'Be' }, { text: 'brief.' }] } })['messages']).toEqual([
      { role: 'system', content: 'Be\nbrief.' },
      { role: 'user', content: 'Hi' },
    ])
    expect(chatOf({ system_instruction: { parts: { text: 'Be brief.' } } })['messages']).toMatchObject([{ role: 'system' }, {}])
  })

  test('leaves reasoning out, and calls get ids that their results find by name and order', () => {
    const call = (city: string) => ({ functionCall: { name: 'weather', args: { city } } })
    const result = (text: string) => ({ functionResponse: { name: 'weather', response: { result: text } } })
    const contents = [
      { role: 'user', parts: [{ text: 'Weather?' }] },
      {
        role: 'model',
        parts: [{ text: 'Hm.', thought: true, thoughtSignature: 'x' }, { text: 'One moment.' }, call('Bonn'), call('Kyoto')],
      },
      { role: 'user', parts: [{ text: 'And?' }, result('Rain.'), result('Sun.')] },
    ]
    const { chat, refused } = toChat({ contents })
    expect(refused).toBeNull()
    expect(chat['messages']).toEqual([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: 'One moment.',
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bonn"}' } },
          { id: 'call_2', type: 'function', function: { name: 'weather', arguments: '{"city":"Kyoto"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'Rain.' },
      { role: 'tool', tool_call_id: 'call_2', content: 'Sun.' },
      { role: 'user', content: 'And?' },
    ])
  })

  test('of 60,000 calls, with results from the last to the first, takes linear and not quadratic time', () => {
    const ask = (count: number) => {
      const ids = Array.from({ length: count }, (_, index) => `id${index}`)
      const calls = ids.map((id) => ({ functionCall: { id, name: `f${id}` } }))
      const results = ids.toReversed().map((id, index) => ({ functionResponse: { name: `f${id}`, ...(index % 2 === 0 ? { id } : {}) } }))
      return { contents: [{ role: 'model', parts: calls }, { parts: results }] }
    }
    // Processor time, the least of several tries: other work on the machine does not count.
    const cost = (count: number): number => {
      const request = ask(count)
      return Math.min(...Array.from({ length: 4 }, () => processorMs(() => toChat(request))))
    }
    // Four times as many: the square would be sixteen times.
    expect(cost(60_000) / cost(15_000)).toBeLessThan(10)
    const { messages } = toChat(ask(60_000)).chat
    const list = Array.isArray(messages) ? messages : []
    expect([list[1], list[2], list.at(-1)]).toMatchObject([
      { tool_call_id: 'id59999' },
      { tool_call_id: 'id59998' },
      { tool_call_id: 'id0' },
    ])
  })

  test('keeps ids that the client sends, and the images and objects of results', () => {
    const inputImage = { inlineData: { mimeType: 'image/png', data: 'AA==' } }
    const contents = [
      { role: 'model', parts: [{ functionCall: { id: 'a1', name: 'look', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { id: 'a1', name: 'look', response: { size: 3, unit: 'cm' }, parts: [inputImage] } }] },
    ]
    expect(toChat({ contents }).chat['messages']).toMatchObject([
      { tool_calls: [{ id: 'a1' }] },
      {
        role: 'tool',
        tool_call_id: 'a1',
        content: [
          { type: 'text', text: '{"size":3,"unit":"cm"}' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        ],
      },
    ])
  })

  test('carries images, audio, documents and addresses', () => {
    const inline = (mimeType: string) => ({ inlineData: { mimeType, data: 'AA==' } })
    const file = (mimeType: string, fileUri: string) => ({ file_data: { mime_type: mimeType, file_uri: fileUri } })
    const parts = [inline('image/jpeg'), inline('audio/wav'), inline('application/pdf'), file('image/png', 'https://a.example/x.png')]
    expect(toChat({ contents: { parts } }).chat['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,AA==' } },
          { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
          { type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,AA==' } },
          { type: 'image_url', image_url: { url: 'https://a.example/x.png' } },
        ],
      },
    ])
  })

  test.each([
    ['contents[].parts[].fileData', { fileData: { mimeType: 'image/png', fileUri: 'gs://bucket/x.png' } }],
    ['contents[].parts[].fileData', { fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc' } }],
    ['contents[].parts[].videoMetadata', { videoMetadata: {} }],
  ])('refuses %s, which belongs to the vendor', (name, part) => {
    expect(toChat({ contents: [{ role: 'user', parts: [part] }] }).refused).toBe(name)
  })
})

test.each([
  ['contents[].parts[].inlineData', { contents: [{ role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }] }] }],
  ['contents[].parts[].tool_call', { contents: [{ role: 'model', parts: [{ thoughtSignature: 'AA==', tool_call: {} }] }] }],
  ['systemInstruction.parts[].inlineData', { systemInstruction: { parts: [{ text: 'Hi' }, { inlineData: { data: 'AA==' } }] } }],
  ['systemInstruction', { systemInstruction: 'Be brief.' }],
])('%s is refused instead of being left out', (name, fields) => {
  expect(toChat({ contents: [{ parts: [{ text: 'Hi' }] }], ...fields }).refused).toBe(name)
})

test('a part of nothing but a signature is no content', () => {
  const parts = [{ text: 'Hi' }, { thoughtSignature: 'AA==' }]
  expect(toChat({ contents: [{ role: 'model', parts }] })).toMatchObject({ chat: { messages: [{ content: 'Hi' }] }, refused: null })
})

test('a member that is refused is named by the start of its name', () => {
  const long = 'x'.repeat(1_000_000)
  expect(toChat({ contents: [{ parts: [{ [long]: 1 }] }] }).refused).toHaveLength('contents[].parts[].'.length + 40)
  expect(translated({ tools: [{ [long]: 1 }] }).refused).toHaveLength('tools[].'.length + 40)
})

describe('tools', () => {
  const declared = {
    name: 'weather',
    description: 'Tells it',
    parameters: { type: 'OBJECT', properties: { city: { type: 'STRING', nullable: true }, days: { type: 'INTEGER' } }, required: ['city'] },
  }

  test('have JSON Schema in the place of the vendor’s form of schemas', () => {
    expect(chatOf({ tools: [{ functionDeclarations: [declared] }] })['tools']).toEqual([
      {
        type: 'function',
        function: {
          name: 'weather',
          description: 'Tells it',
          parameters: {
            type: 'object',
            properties: { city: { type: ['string', 'null'] }, days: { type: 'integer' } },
            required: ['city'],
          },
        },
      },
    ])
    const schema = { type: 'object', properties: { type: { type: 'string' } } }
    const plain = { tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: schema }] }] }
    expect(chatOf(plain)).toMatchObject({ tools: [{ function: { parameters: schema } }] })
  })

  test.each([
    [{ mode: 'AUTO' }, 'auto'],
    [{ mode: 'ANY' }, 'required'],
    [{ mode: 'NONE' }, 'none'],
    [
      { mode: 'ANY', allowedFunctionNames: ['f'] },
      { type: 'function', function: { name: 'f' } },
    ],
    [
      { mode: 'VALIDATED', allowed_function_names: ['f', 'g'] },
      {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'auto',
          tools: [
            { type: 'function', function: { name: 'f' } },
            { type: 'function', function: { name: 'g' } },
          ],
        },
      },
    ],
  ])('are chosen by %j', (functionCallingConfig, choice) => {
    expect(chatOf({ toolConfig: { functionCallingConfig } })['tool_choice']).toEqual(choice)
  })

  test('search the web, and those that only the vendor has are refused by name', () => {
    expect(chatOf({ tools: [{ googleSearch: {} }] })).toMatchObject({ web_search_options: {} })
    expect(translated({ tools: [{ codeExecution: {} }] }).refused).toBe('tools[].codeExecution')
  })
})

describe('the configuration', () => {
  test('has the names of a chat', () => {
    const config = { maxOutputTokens: 5, temperature: 0.1, top_p: 0.2, topK: 3, stopSequences: ['x'], seed: 4, candidateCount: 2 }
    expect(configured({ ...config, presencePenalty: 0.5, frequencyPenalty: 0.6 })).toMatchObject({
      ...{ max_completion_tokens: 5, temperature: 0.1, top_p: 0.2, top_k: 3, stop: ['x'], seed: 4, n: 2 },
      ...{ presence_penalty: 0.5, frequency_penalty: 0.6 },
    })
    expect(Object.keys(configured({ candidateCount: 1, stopSequences: [] }))).toEqual(['messages'])
  })

  test('asks for JSON, with a schema in either form', () => {
    const json = { responseMimeType: 'application/json' }
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const format = { type: 'json_schema', json_schema: { name: 'answer', schema } }
    expect(configured(json)['response_format']).toEqual({ type: 'json_object' })
    expect(configured({ ...json, responseJsonSchema: schema })['response_format']).toEqual(format)
    const own = { type: 'OBJECT', properties: { a: { type: 'STRING' } }, propertyOrdering: ['a'] }
    expect(configured({ ...json, responseSchema: own })['response_format']).toEqual(format)
  })

  test.each([
    [{ thinkingBudget: 0 }, 'none'],
    [{ thinkingBudget: 1_024 }, 'low'],
    [{ thinkingBudget: 8_192 }, 'medium'],
    [{ thinkingBudget: 24_576 }, 'high'],
    [{ thinkingLevel: 'HIGH' }, 'high'],
    [{ thinkingBudget: -1 }, undefined],
  ])('turns %j into an effort', (thinkingConfig, effort) => {
    expect(configured({ thinkingConfig })['reasoning_effort']).toBe(effort)
  })

  test.each([
    ['cachedContent', { cachedContent: 'cachedContents/1' }],
    ['generationConfig.responseLogprobs', { generationConfig: { responseLogprobs: true } }],
    ['generationConfig.responseModalities', { generationConfig: { responseModalities: ['AUDIO'] } }],
    ['generationConfig.responseMimeType', { generationConfig: { responseMimeType: 'text/x.enum' } }],
  ])('refuses %s, which a chat cannot hold', (name, body) => {
    expect(translated(body).refused).toBe(name)
  })
})

function processorMs(act: () => void): number {
  const start = process.cpuUsage()
  act()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}
