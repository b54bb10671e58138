import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { targetOf } from '../../../test/channel.ts'
import { chats, nonsense } from '../../../test/chats.ts'
import { freeze, onTheWire } from '../../../test/files.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { gemini } from './dialect.ts'

const models = [
  'gemini-4-argon',
  'gemini-3.8-flash',
  'gemini-3.1-pro-preview',
  'gemini-2.5-pro',
  'gemini-2.5-flash',
  'gemini-3-pro-image',
  'gemma-3-27b-it',
]
const messages = [{ role: 'user', content: 'Hi' }]

function requestOf(chat: JsonObject, model = 'gemini-3.8-flash', stream = false) {
  return gemini.request({ messages, ...chat }, targetOf({ model, stream }))
}

function bodyOf(chat: JsonObject, model?: string): Json {
  return onTheWire(requestOf(chat, model).body)
}

function configOf(chat: JsonObject, model?: string): unknown {
  const body = bodyOf(chat, model)
  return isObject(body) ? body['generationConfig'] : null
}

function thinkingOf(chat: JsonObject, model: string): unknown {
  const config = configOf(chat, model)
  return isObject(config) ? config['thinkingConfig'] : null
}

const weather = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
}
const call = (id: string, extra: JsonObject = {}) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"Porto"}' },
  ...extra,
})

describe('the path', () => {
  test('names the version and the model, and says whether the response is streamed', () => {
    expect(requestOf({}).path).toBe('/v1beta/models/gemini-3.8-flash:generateContent')
    expect(requestOf({}, 'gemini-3.8-flash', true).path).toBe('/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse')
    expect(requestOf({}, 'tunedModels/mine').path).toBe('/v1beta/tunedModels/mine:generateContent')
  })

  test('always requests a stream from Argon, because whole responses are cut', () => {
    expect(requestOf({}, 'gemini-4-argon').path).toContain(':streamGenerateContent?alt=sse')
  })

  test('has the version of the channel, and none if the address ends in one', () => {
    const channel = { baseUrl: 'https://proxy.example', key: 'k', config: {}, other: 'v1' }
    expect(gemini.request({ messages }, targetOf({ model: 'm', channel })).path).toBe('/v1/models/m:generateContent')
    const versioned = { ...channel, baseUrl: 'https://proxy.example/v1beta' }
    expect(gemini.request({ messages }, targetOf({ model: 'm', channel: versioned })).path).toBe('/models/m:generateContent')
  })
})

describe('messages', () => {
  test('keep the signature of each call, and only the first call of a turn gets a substitute for a lost one', () => {
    const signed = { extra_content: { google: { thought_signature: 'sig' } } }
    const turns = [
      ...messages,
      { role: 'assistant', tool_calls: [call('a', signed), call('b')] },
      { role: 'tool', tool_call_id: 'a', content: '{"degrees":18}' },
      { role: 'tool', tool_call_id: 'b', content: '[1]' },
      { role: 'assistant', tool_calls: [call('c'), call('d')] },
      { role: 'tool', tool_call_id: 'c', content: 'dry' },
    ]
    const args = { city: 'Porto' }
    expect(bodyOf({ messages: turns })).toMatchObject({
      contents: [
        { role: 'user' },
        {
          role: 'model',
          parts: [{ functionCall: { id: 'a', name: 'weather', args }, thoughtSignature: 'sig' }, { functionCall: { id: 'b' } }],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'a', name: 'weather', response: { degrees: 18 } } },
            { functionResponse: { id: 'b', response: { result: [1] } } },
          ],
        },
        { role: 'model', parts: [{ thoughtSignature: 'skip_thought_signature_validator' }, { functionCall: { id: 'd' } }] },
        { role: 'user', parts: [{ functionResponse: { response: { result: 'dry' } } }] },
      ],
    })
    expect(JSON.stringify(bodyOf({ messages: turns })).match(/skip_thought/g)).toHaveLength(1)
    expect(JSON.stringify(bodyOf({ messages: turns }, 'gemini-2.5-flash'))).not.toContain('skip_thought')
  })

  test('have audio as bytes, too, where a client sends it as a data address', () => {
    const parts = (data: string) => {
      const content = [{ type: 'input_audio', input_audio: { data, format: 'wav' } }]
      return bodyOf({ messages: [{ role: 'user', content }] })
    }
    expect(parts('data:audio/wav;base64,CC==')).toMatchObject({
      contents: [{ parts: [{ inlineData: { mimeType: 'audio/wav', data: 'CC==' } }] }],
    })
    expect(parts('https://files.example/a.wav')).toMatchObject({
      contents: [{ parts: [{ fileData: { mimeType: 'audio/wav', fileUri: 'https://files.example/a.wav' } }] }],
    })
  })

  test('have images, documents and audio as bytes, and what the vendor reads itself as addresses', () => {
    const content = [
      { type: 'image_url', image_url: { url: 'data:image/jpg;base64,AA==' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,BB==' } },
      { type: 'file', file: { file_id: 'https://generativelanguage.googleapis.com/v1beta/files/x' } },
      { type: 'input_audio', input_audio: { data: 'CC==', format: 'mp3' } },
      { type: 'video_url', video_url: { url: 'https://www.youtube.com/watch?v=1' } },
    ]
    expect(bodyOf({ messages: [{ role: 'user', content }] })).toMatchObject({
      contents: [
        {
          parts: [
            { inlineData: { mimeType: 'image/jpeg', data: 'AA==' } },
            { inlineData: { mimeType: 'application/pdf', data: 'BB==' } },
            { fileData: { mimeType: 'application/pdf', fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/x' } },
            { inlineData: { mimeType: 'audio/mpeg', data: 'CC==' } },
            { fileData: { mimeType: 'video/mp4', fileUri: 'https://www.youtube.com/watch?v=1' } },
          ],
        },
      ],
    })
  })

  test('have images of results inside the result, or after it for older models', () => {
    const inputImage = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }
    const turns = [...messages, { role: 'assistant', tool_calls: [call('a')] }, { role: 'tool', tool_call_id: 'a', content: [inputImage] }]
    const inlineData = { mimeType: 'image/png', data: 'AA==' }
    const newer = {
      role: 'user',
      parts: [{ functionResponse: { id: 'a', name: 'weather', response: { result: '' }, parts: [{ inlineData }] } }],
    }
    expect(bodyOf({ messages: turns })).toHaveProperty('contents[2]', newer)
    const older = { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'weather', response: { result: '' } } }, { inlineData }] }
    expect(bodyOf({ messages: turns }, 'gemini-2.5-flash')).toHaveProperty('contents[2]', older)
  })

  test('carry generated images back with their signature, or with a substitute', () => {
    const image = (extra: JsonObject) => ({ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' }, ...extra })
    const images = [image({ extra_content: { google: { thought_signature: 's' } } }), image({})]
    const turns = [...messages, { role: 'assistant', content: 'Here', images }, { role: 'user', content: 'Brighter' }]
    expect(bodyOf({ messages: turns }, 'gemini-3-pro-image')).toMatchObject({
      contents: [
        {},
        {
          parts: [
            { text: 'Here', thoughtSignature: 'skip_thought_signature_validator' },
            { thoughtSignature: 's' },
            { thoughtSignature: 'skip_thought_signature_validator' },
          ],
        },
        {},
      ],
    })
  })

  test('put the system prompt into the first turn of models that know none', () => {
    const turns = [{ role: 'system', content: 'Be brief.' }, ...messages]
    expect(bodyOf({ messages: turns }, 'gemma-3-27b-it')).toMatchObject({
      contents: [{ role: 'user', parts: [{ text: 'Be brief.' }, { text: 'Hi' }] }],
    })
    expect(bodyOf({ messages: turns })).toMatchObject({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [{ parts: [{ text: 'Hi' }] }],
    })
  })
})

describe('thinking', () => {
  test.each([
    ['gemini-3.8-flash', 'none', { thinkingLevel: 'low', includeThoughts: true }],
    ['gemini-3.8-flash', 'minimal', { thinkingLevel: 'low', includeThoughts: true }],
    ['gemini-3.8-flash', 'xhigh', { thinkingLevel: 'high', includeThoughts: true }],
    ['gemini-4-argon', 'minimal', { thinkingLevel: 'low', includeThoughts: true }],
    ['gemini-3.6-flash', 'none', { thinkingLevel: 'minimal', includeThoughts: true }],
    ['gemini-3-pro-preview', 'medium', { thinkingLevel: 'high', includeThoughts: true }],
    ['gemini-2.5-flash', 'none', { thinkingBudget: 0 }],
    ['gemini-2.5-flash', 'medium', { thinkingBudget: 8_192, includeThoughts: true }],
    ['gemini-2.5-pro', 'none', { thinkingBudget: 128, includeThoughts: true }],
    ['gemini-2.5-flash-lite', 'low', { thinkingBudget: 1_024, includeThoughts: true }],
    ['gemini-2.5-flash', 'max', { thinkingBudget: 24_576, includeThoughts: true }],
  ])('of %s with effort %s is what the model has', (model, effort, expected) => {
    expect(thinkingOf({ reasoning_effort: effort }, model)).toEqual(expected)
  })

  test('is left to the model by default, unless the limit is so small that reasoning could use it up', () => {
    expect(thinkingOf({}, 'gemini-3.8-flash')).toEqual({ includeThoughts: true })
    expect(thinkingOf({ max_tokens: 500 }, 'gemini-3.8-flash')).toEqual({ thinkingLevel: 'low', includeThoughts: true })
    expect(thinkingOf({}, 'gemini-2.5-flash-lite')).toBeUndefined()
    expect(thinkingOf({}, 'gemma-3-27b-it')).toBeUndefined()
  })

  test('takes a budget in tokens, and leaves room for the output', () => {
    expect(thinkingOf({ reasoning: { max_tokens: 3_000 } }, 'gemini-2.5-pro')).toEqual({ thinkingBudget: 3_000, includeThoughts: true })
    expect(thinkingOf({ thinking: { type: 'enabled', budget_tokens: 9_000 }, max_tokens: 1_256 }, 'gemini-2.5-flash')).toEqual({
      thinkingBudget: 1_000,
      includeThoughts: true,
    })
    expect(thinkingOf({ thinking: { type: 'enabled', budget_tokens: 5_000 } }, 'gemini-3.8-flash')).toEqual({
      thinkingLevel: 'medium',
      includeThoughts: true,
    })
  })

  test('takes the vendor’s own field, also as its OpenAI-compatible interface does', () => {
    const own = { thinking_config: { thinking_level: 'high' }, cached_content: 'cachedContents/1', safety_settings: [{ category: 'c' }] }
    expect(bodyOf({ extra_body: { google: own }, reasoning_effort: 'low' })).toMatchObject({
      generationConfig: { thinkingConfig: { thinking_level: 'high' } },
      cachedContent: 'cachedContents/1',
      safetySettings: [{ category: 'c' }],
    })
  })
})

describe('tools', () => {
  test.each([
    ['auto', { mode: 'AUTO' }],
    ['required', { mode: 'ANY' }],
    [
      { type: 'function', function: { name: 'weather' } },
      { mode: 'ANY', allowedFunctionNames: ['weather'] },
    ],
    [
      { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'weather' } }] } },
      { mode: 'VALIDATED', allowedFunctionNames: ['weather'] },
    ],
  ])('are chosen by %j', (choice, functionCallingConfig) => {
    expect(bodyOf({ tools: [weather], tool_choice: choice })).toMatchObject({ toolConfig: { functionCallingConfig } })
  })

  test('are left out if none may be called', () => {
    expect(bodyOf({ tools: [weather], tool_choice: 'none' })).not.toHaveProperty('tools')
  })

  test('without parameters have no schema, and names that would be refused are replaced', () => {
    const { body, toolNames } = requestOf({
      tools: [{ type: 'function', function: { name: '1st.go', parameters: { type: 'object', properties: {} } } }],
    })
    expect(body).toMatchObject({ tools: [{ functionDeclarations: [{ name: '_1st_go' }] }] })
    expect(toolNames).toEqual({ _1st_go: '1st.go' })
    expect(requestOf({ tools: [{ type: 'function', function: { name: '2nd' } }] }).toolNames).toEqual({ _2nd: '2nd' })
  })

  test('search the web alone, and are refused by name together with functions', () => {
    expect(bodyOf({ web_search_options: {} })).toMatchObject({ tools: [{ googleSearch: {} }] })
    expect(bodyOf({ tools: [{ type: 'web_search' }] })).toMatchObject({ tools: [{ googleSearch: {} }] })
    expect(requestOf({ web_search_options: {}, tools: [weather] }).refused).toBe('web_search_options')
    const limited = { type: 'web_search', filters: { allowed_domains: ['a.example'] } }
    expect(requestOf({ tools: [limited] }).refused).toBe('tools[].filters.allowed_domains')
  })
})

describe('structured output', () => {
  const schema = { type: 'object', properties: { line: { type: 'string' } } }
  const response_format = { type: 'json_schema', json_schema: { name: 'a', schema } }

  test('is the vendor’s own field', () => {
    expect(configOf({ response_format })).toMatchObject({ responseMimeType: 'application/json', responseJsonSchema: schema })
    expect(configOf({ response_format: { type: 'json_object' } })).toMatchObject({ responseMimeType: 'application/json' })
    expect(configOf({ response_format, tools: [weather] })).toMatchObject({ responseJsonSchema: schema })
  })

  test('is an instruction for models that refuse it together with functions', () => {
    const body = bodyOf({ response_format, tools: [weather] }, 'gemini-2.5-flash')
    expect(JSON.stringify(body)).toContain('JSON schema')
    expect(body).not.toHaveProperty('generationConfig.responseMimeType')
  })
})

describe('what the models cannot do', () => {
  test.each([
    ['gemini-3.8-flash', { modalities: ['text', 'audio'] }, 'modalities'],
    ['gemini-3.8-flash', { modalities: ['image'] }, 'modalities'],
    ['gemini-3-pro-image', { tools: [weather] }, 'tools'],
    ['gemini-nano-banana-2.1', { response_format: { type: 'json_object' } }, 'response_format'],
  ])('is refused by %s with the name of the field: %j', (model, chat, field) => {
    expect(requestOf(chat, model).refused).toBe(field)
  })

  test('does not include images for models that generate them', () => {
    expect(configOf({}, 'gemini-3-pro-image')).toMatchObject({ responseModalities: ['TEXT', 'IMAGE'] })
    expect(
      configOf({ modalities: ['image'], image_config: { aspect_ratio: '16:9', image_size: '2K' } }, 'gemini-3-pro-image'),
    ).toMatchObject({
      responseModalities: ['IMAGE'],
      imageConfig: { aspectRatio: '16:9', imageSize: '2K' },
    })
  })
})

describe('every chat', () => {
  const rolesOf = (body: JsonObject): readonly Json[] =>
    Array.isArray(body['contents']) ? body['contents'].map((turn) => (isObject(turn) ? (turn['role'] ?? null) : null)) : []

  test('alternates between user and model, begins with the user, and has no empty turn', () => {
    fc.assert(
      fc.property(fc.oneof(chats, nonsense), fc.constantFrom(...models), fc.boolean(), (chat, model, stream) => {
        const { body } = gemini.request(freeze(chat), targetOf({ model, stream }))
        const roles = rolesOf(body)
        expect(roles[0]).toBe('user')
        expect(roles.filter((role, index) => role === roles[index - 1])).toEqual([])
        for (const turn of Array.isArray(body['contents']) ? body['contents'].filter(isObject) : []) expect(turn['parts']).not.toEqual([])
        expect(body).not.toHaveProperty('model')
      }),
      { numRuns: 1000 },
    )
  })

  test('is translated in time linear to its length', () => {
    const count = 20_000
    const list = [
      ...Array.from({ length: count }, () => ({ role: 'user', content: 'a' })),
      { role: 'assistant', tool_calls: Array.from({ length: count }, () => call('')) },
      ...Array.from({ length: count }, () => ({ role: 'tool', tool_call_id: '', content: 'b' })),
    ]
    const startedMs = performance.now()
    requestOf({ messages: list })
    expect(performance.now() - startedMs).toBeLessThan(4_000)
  })
})

describe('signatures that the vendor refuses', () => {
  const refused = { kind: 'bad_request', message: 'Corrupted thought signature.', type: null, param: null, code: null } as const
  const extra_content = { google: { thought_signature: 'foreign' } }
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, extra_content, tool_calls: [{ ...call, extra_content }] },
    { role: 'tool', tool_call_id: 'c', content: '{}' },
  ]

  test('are left out, wherever they were', () => {
    const retried = gemini.retryWithout?.({ model: 'm', messages }, refused, 'm')
    expect(retried).toEqual({
      model: 'm',
      messages: [messages[0] ?? {}, { role: 'assistant', content: null, tool_calls: [call] }, messages[2] ?? {}],
    })
  })

  test('are kept if they are not what was refused, or if there are none', () => {
    expect(gemini.retryWithout?.({ messages }, { ...refused, message: 'Invalid value' }, 'm')).toBeNull()
    expect(gemini.retryWithout?.({ messages: messages.slice(0, 1) }, refused, 'm')).toBeNull()
  })
})
