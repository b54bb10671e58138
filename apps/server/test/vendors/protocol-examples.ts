import type { JsonObject } from '@sluice/vendors/json'

// An example of each feature of requests, in the protocol of each client.

export type ClientName = 'OpenAI' | 'Anthropic' | 'Google'

/** A part of a request. */
export interface Example {
  readonly body: JsonObject
  /** A text that the vendor must get; missing: the example must change what is sent. */
  readonly mark?: string
  /** The request without the feature, if more than this is needed for it. */
  readonly base?: JsonObject
}

/** No example: the protocol has no such feature. */
export type RequestFeature = Readonly<Partial<Record<ClientName, readonly Example[]>>>

const bytes = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkM9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false }
const [rio, porto] = [{ city: 'Rio' }, { city: 'Porto' }]

const chat = (...messages: readonly JsonObject[]): JsonObject => ({ messages: [{ role: 'user', content: 'Hi' }, ...messages] })
const chatPart = (part: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, part] }] })
const generated = (...contents: readonly JsonObject[]): JsonObject => ({
  contents: [{ role: 'user', parts: [{ text: 'Hi' }] }, ...contents],
})
const generatedPart = (mimeType: string): JsonObject => ({
  contents: [{ role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType, data: bytes } }] }],
})
const config = (more: JsonObject): JsonObject => ({ generationConfig: { maxOutputTokens: 8_000, ...more } })

const chatTools = { tools: [{ type: 'function', function: { name: 'weather', description: 'The weather', parameters: city } }] }
const messageTools = { tools: [{ name: 'weather', description: 'The weather', input_schema: city }] }
const { additionalProperties: _strict, ...openCity } = city
const generatedTools = {
  tools: [{ functionDeclarations: [{ name: 'weather', description: 'The weather', parametersJsonSchema: openCity }] }],
}

const chatCall = (id: string, input: object, more: JsonObject = {}) => ({
  ...{ id, type: 'function', function: { name: 'weather', arguments: JSON.stringify(input) } },
  ...more,
})
const chatResult = (id: string, content: JsonObject['']) => ({ role: 'tool', tool_call_id: id, content: content ?? '' })
const use = (id: string, input: JsonObject) => ({ type: 'tool_use', id, name: 'weather', input })
const result = (id: string, content: JsonObject['']) => ({ type: 'tool_result', tool_use_id: id, content: content ?? '' })
const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: bytes } }
const pictureUrl = { type: 'image_url', image_url: { url: `data:image/png;base64,${bytes}` } }
const called = (args: JsonObject, more: JsonObject = {}) => ({ functionCall: { name: 'weather', args }, ...more })
const responded = (text: string, more: JsonObject = {}) => ({ functionResponse: { name: 'weather', response: { result: text }, ...more } })

const thought = 'I must think'
const schema = { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: city } }

export const requestFeatures = {
  tools: {
    OpenAI: [{ body: chatTools, mark: 'The weather' }],
    Anthropic: [{ body: messageTools, mark: 'The weather' }],
    Google: [{ body: generatedTools, mark: 'The weather' }],
  },
  'parallel tools': {
    OpenAI: [
      {
        body: {
          ...chatTools,
          ...chat(
            { role: 'assistant', content: null, tool_calls: [chatCall('call_1', rio), chatCall('call_2', porto)] },
            chatResult('call_1', 'dry'),
            chatResult('call_2', '18 degrees'),
          ),
        },
        mark: '18 degrees',
      },
    ],
    Anthropic: [
      {
        body: {
          ...messageTools,
          ...chat(
            { role: 'assistant', content: [use('toolu_1', rio), use('toolu_2', porto)] },
            { role: 'user', content: [result('toolu_1', 'dry'), result('toolu_2', '18 degrees')] },
          ),
        },
        mark: '18 degrees',
      },
    ],
    Google: [
      {
        body: {
          ...generatedTools,
          ...generated(
            { role: 'model', parts: [called(rio, { thoughtSignature: 'c2ln' }), called(porto)] },
            { role: 'user', parts: [responded('dry'), responded('18 degrees')] },
          ),
        },
        mark: '18 degrees',
      },
    ],
  },
  'tool choice': {
    OpenAI: [{ body: { ...chatTools, tool_choice: 'required' }, base: chatTools }],
    Anthropic: [{ body: { ...messageTools, tool_choice: { type: 'any' } }, base: messageTools }],
    Google: [{ body: { ...generatedTools, toolConfig: { functionCallingConfig: { mode: 'ANY' } } }, base: generatedTools }],
  },
  'pictures in tool results': {
    OpenAI: [
      {
        body: {
          ...chatTools,
          ...chat(
            { role: 'assistant', content: null, tool_calls: [chatCall('call_1', rio)] },
            chatResult('call_1', [{ type: 'text', text: 'dry' }, pictureUrl]),
          ),
        },
        mark: bytes,
      },
    ],
    Anthropic: [
      {
        body: {
          ...messageTools,
          ...chat({ role: 'assistant', content: [use('toolu_1', rio)] }, { role: 'user', content: [result('toolu_1', [picture])] }),
        },
        mark: bytes,
      },
    ],
    Google: [
      {
        body: {
          ...generatedTools,
          ...generated(
            { role: 'model', parts: [called(rio, { thoughtSignature: 'c2ln' })] },
            { role: 'user', parts: [responded('dry', { parts: [{ inlineData: { mimeType: 'image/png', data: bytes } }] })] },
          ),
        },
        mark: bytes,
      },
    ],
  },
  'structured output': {
    OpenAI: [{ body: { response_format: schema }, mark: 'city' }],
    Anthropic: [{ body: { output_config: { format: { type: 'json_schema', schema: city } } }, mark: 'city' }],
    Google: [{ body: config({ responseMimeType: 'application/json', responseJsonSchema: openCity }), mark: 'city' }],
  },
  'pictures in': {
    OpenAI: [{ body: chatPart(pictureUrl), mark: bytes }],
    Anthropic: [{ body: chatPart(picture), mark: bytes }],
    Google: [{ body: generatedPart('image/png'), mark: bytes }],
  },
  'PDF in': {
    OpenAI: [
      { body: chatPart({ type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${bytes}` } }), mark: bytes },
    ],
    Anthropic: [
      {
        body: chatPart({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: bytes } }),
        mark: bytes,
      },
    ],
    Google: [{ body: generatedPart('application/pdf'), mark: bytes }],
  },
  'sound in': {
    OpenAI: [{ body: chatPart({ type: 'input_audio', input_audio: { data: bytes, format: 'wav' } }), mark: bytes }],
    Google: [{ body: generatedPart('audio/wav'), mark: bytes }],
  },
  'level of thinking': {
    OpenAI: [{ body: { reasoning_effort: 'high' } }],
    Anthropic: [{ body: { thinking: { type: 'enabled', budget_tokens: 4_096 } } }],
    Google: [{ body: config({ thinkingConfig: { thinkingBudget: 4_096 } }) }],
  },
  'thoughts sent back': {
    OpenAI: [
      { body: chat({ role: 'assistant', content: 'A', reasoning_content: thought }, { role: 'user', content: 'And?' }), mark: thought },
      {
        body: chat(
          { role: 'assistant', content: 'A', thinking_blocks: [{ type: 'thinking', thinking: thought, signature: 'EqQB' }] },
          { role: 'user', content: 'And?' },
        ),
        mark: thought,
      },
      {
        body: {
          ...chatTools,
          ...chat(
            {
              ...{ role: 'assistant', content: null },
              tool_calls: [chatCall('call_1', rio, { extra_content: { google: { thought_signature: 'c2lnbmVk' } } })],
            },
            chatResult('call_1', 'dry'),
          ),
        },
        mark: 'c2lnbmVk',
      },
    ],
    Anthropic: [
      ...['EqQB', 'sluice:', 'sluice:EqQB'].map((signature) => ({
        body: chat(
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: thought, signature },
              { type: 'text', text: 'A' },
            ],
          },
          { role: 'user', content: 'And?' },
        ),
        mark: thought,
      })),
      {
        body: {
          ...messageTools,
          ...chat(
            { role: 'assistant', content: [{ ...use('toolu_1', rio), extra_content: { google: { thought_signature: 'c2lnbmVk' } } }] },
            { role: 'user', content: [result('toolu_1', 'dry')] },
          ),
        },
        mark: 'c2lnbmVk',
      },
    ],
    Google: [
      {
        body: {
          ...generatedTools,
          ...generated(
            { role: 'model', parts: [called(rio, { thoughtSignature: 'c2lnbmVk' })] },
            { role: 'user', parts: [responded('dry')] },
          ),
        },
        mark: 'c2lnbmVk',
      },
    ],
  },
  'cache marks': {
    OpenAI: [{ body: chatPart({ type: 'text', text: 'Long', cache_control: { type: 'ephemeral' } }), mark: 'ephemeral' }],
    Anthropic: [{ body: chatPart({ type: 'text', text: 'Long', cache_control: { type: 'ephemeral' } }), mark: 'ephemeral' }],
    Google: [{ body: { cachedContent: 'cachedContents/1' }, mark: 'cachedContents/1' }],
  },
  'stop sequences': {
    OpenAI: [{ body: { stop: ['END'] }, mark: 'END' }],
    Anthropic: [{ body: { stop_sequences: ['END'] }, mark: 'END' }],
    Google: [{ body: config({ stopSequences: ['END'] }), mark: 'END' }],
  },
  'web search': {
    OpenAI: [{ body: { web_search_options: {} } }],
    Anthropic: [{ body: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] } }],
    Google: [{ body: { tools: [{ googleSearch: {} }] } }],
  },
} as const satisfies Readonly<Record<string, RequestFeature>>
