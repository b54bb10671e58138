import type { JsonObject } from '@sluice/vendors/core/json'
import { carriedText } from '../../../../packages/vendors/src/protocols/shared/carried-reasoning.ts'

// An example of each feature of requests, in the protocol of each client.

export type ClientName = 'OpenAI' | 'OpenAI, responses' | 'Anthropic' | 'Google'

/** A part of a request. */
export interface Example {
  readonly body: JsonObject
  /** A text that the vendor must get; missing: the example must change what is sent. */
  readonly mark?: string
  /** The request without the feature, if more than this is needed for it. */
  readonly base?: JsonObject
  /** Where the response ends, if the gateway itself does that. */
  readonly endsBefore?: string
}

/** No example: the protocol has no such feature. */
export type RequestFeature = Readonly<Partial<Record<ClientName, readonly Example[]>>>

const bytes = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkM9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const pdf = 'JVBERi0xLjQKMSAwIG9iago8PD4+CmVuZG9iagp0cmFpbGVyCjw8Pj4KJSVFT0Y='
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false }
const [rio, porto] = [{ city: 'Rio' }, { city: 'Porto' }]

const chat = (...messages: readonly JsonObject[]): JsonObject => ({ messages: [{ role: 'user', content: 'Hi' }, ...messages] })
const chatPart = (part: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, part] }] })
const generated = (...contents: readonly JsonObject[]): JsonObject => ({
  contents: [{ role: 'user', parts: [{ text: 'Hi' }] }, ...contents],
})
const generatedPart = (mimeType: string, data = bytes): JsonObject => ({
  contents: [{ role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType, data } }] }],
})
const turns = (...items: readonly JsonObject[]): JsonObject => ({ input: [{ role: 'user', content: 'Hi' }, ...items] })
const turnPart = (part: JsonObject): JsonObject => ({ input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }, part] }] })
const config = (more: JsonObject): JsonObject => ({ generationConfig: { maxOutputTokens: 8_000, ...more } })

const chatTools = { tools: [{ type: 'function', function: { name: 'weather', description: 'The weather', parameters: city } }] }
const responseTools = { tools: [{ type: 'function', name: 'weather', description: 'The weather', parameters: city, strict: true }] }
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
const functionCall = (id: string, input: object, more: JsonObject = {}) => ({
  ...{ type: 'function_call', call_id: id, name: 'weather', arguments: JSON.stringify(input) },
  ...more,
})
const functionOutput = (id: string, output: JsonObject['']) => ({ type: 'function_call_output', call_id: id, output: output ?? '' })
const use = (id: string, input: JsonObject) => ({ type: 'tool_use', id, name: 'weather', input })
const result = (id: string, content: JsonObject['']) => ({ type: 'tool_result', tool_use_id: id, content: content ?? '' })
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: bytes } }
const imageUrl = { type: 'image_url', image_url: { url: `data:image/png;base64,${bytes}` } }
const called = (args: JsonObject, more: JsonObject = {}) => ({ functionCall: { name: 'weather', args }, ...more })
const responded = (text: string, more: JsonObject = {}) => ({ functionResponse: { name: 'weather', response: { result: text }, ...more } })

const inputImage = { type: 'input_image', image_url: `data:image/png;base64,${bytes}`, detail: 'auto' }

const reasoningText = 'I must think'
/** An item of reasoning as our responses have it. */
const reasoning = (carried: Parameters<typeof carriedText>[0], text = ''): JsonObject => ({
  ...{ type: 'reasoning', id: 'rs_1', summary: text === '' ? [] : [{ type: 'summary_text', text }] },
  encrypted_content: carriedText(carried),
})
const schema = { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: city } }

export const requestFeatures = {
  tools: {
    OpenAI: [{ body: chatTools, mark: 'The weather' }],
    'OpenAI, responses': [{ body: responseTools, mark: 'The weather' }],
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
    'OpenAI, responses': [
      {
        body: {
          ...responseTools,
          ...turns(
            functionCall('call_1', rio),
            functionCall('call_2', porto),
            functionOutput('call_1', 'dry'),
            functionOutput('call_2', '18 degrees'),
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
    'OpenAI, responses': [{ body: { ...responseTools, tool_choice: 'required' }, base: responseTools }],
    Anthropic: [{ body: { ...messageTools, tool_choice: { type: 'any' } }, base: messageTools }],
    Google: [{ body: { ...generatedTools, toolConfig: { functionCallingConfig: { mode: 'ANY' } } }, base: generatedTools }],
  },
  'images in tool results': {
    OpenAI: [
      {
        body: {
          ...chatTools,
          ...chat(
            { role: 'assistant', content: null, tool_calls: [chatCall('call_1', rio)] },
            chatResult('call_1', [{ type: 'text', text: 'dry' }, imageUrl]),
          ),
        },
        mark: bytes,
      },
    ],
    'OpenAI, responses': [
      {
        body: {
          ...responseTools,
          ...turns(functionCall('call_1', rio), functionOutput('call_1', [{ type: 'input_text', text: 'dry' }, inputImage])),
        },
        mark: bytes,
      },
    ],
    Anthropic: [
      {
        body: {
          ...messageTools,
          ...chat({ role: 'assistant', content: [use('toolu_1', rio)] }, { role: 'user', content: [result('toolu_1', [image])] }),
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
    'OpenAI, responses': [
      { body: { text: { format: { type: 'json_schema', name: 'answer', strict: true, schema: city } } }, mark: 'city' },
    ],
    Anthropic: [{ body: { output_config: { format: { type: 'json_schema', schema: city } } }, mark: 'city' }],
    Google: [{ body: config({ responseMimeType: 'application/json', responseJsonSchema: openCity }), mark: 'city' }],
  },
  'images in': {
    OpenAI: [{ body: chatPart(imageUrl), mark: bytes }],
    'OpenAI, responses': [{ body: turnPart(inputImage), mark: bytes }],
    Anthropic: [{ body: chatPart(image), mark: bytes }],
    Google: [{ body: generatedPart('image/png'), mark: bytes }],
  },
  'PDF in': {
    OpenAI: [{ body: chatPart({ type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` } }), mark: pdf }],
    'OpenAI, responses': [
      { body: turnPart({ type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` }), mark: pdf },
    ],
    Anthropic: [
      {
        body: chatPart({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: pdf } }),
        mark: pdf,
      },
    ],
    Google: [{ body: generatedPart('application/pdf', pdf), mark: pdf }],
  },
  'audio in': {
    OpenAI: [{ body: chatPart({ type: 'input_audio', input_audio: { data: bytes, format: 'wav' } }), mark: bytes }],
    'OpenAI, responses': [{ body: turnPart({ type: 'input_audio', input_audio: { data: bytes, format: 'wav' } }), mark: bytes }],
    Google: [{ body: generatedPart('audio/wav'), mark: bytes }],
  },
  'reasoning effort': {
    OpenAI: [{ body: { reasoning_effort: 'high' } }],
    'OpenAI, responses': [{ body: { reasoning: { effort: 'high' } } }],
    Anthropic: [{ body: { thinking: { type: 'enabled', budget_tokens: 4_096 } } }],
    Google: [{ body: config({ thinkingConfig: { thinkingBudget: 4_096 } }) }],
  },
  'reasoning sent back': {
    OpenAI: [
      {
        body: chat({ role: 'assistant', content: 'A', reasoning_content: reasoningText }, { role: 'user', content: 'And?' }),
        mark: reasoningText,
      },
      {
        body: chat(
          { role: 'assistant', content: 'A', thinking_blocks: [{ type: 'thinking', thinking: reasoningText, signature: 'EqQB' }] },
          { role: 'user', content: 'And?' },
        ),
        mark: reasoningText,
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
    'OpenAI, responses': [
      ...[
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: `gAAAA${reasoningText}` },
        reasoning({}, reasoningText),
        reasoning({ thought: reasoningText }),
        reasoning({ blocks: [{ type: 'thinking', thinking: reasoningText, signature: 'EqQB' }] }),
      ].map((item) => ({
        body: turns(item, { role: 'assistant', content: 'A' }, { role: 'user', content: 'And?' }),
        mark: reasoningText,
      })),
      {
        body: {
          ...responseTools,
          ...turns(
            functionCall('call_1', rio, { extra_content: { google: { thought_signature: 'c2lnbmVk' } } }),
            functionOutput('call_1', 'dry'),
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
              { type: 'thinking', thinking: reasoningText, signature },
              { type: 'text', text: 'A' },
            ],
          },
          { role: 'user', content: 'And?' },
        ),
        mark: reasoningText,
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
  'cache breakpoints': {
    OpenAI: [{ body: chatPart({ type: 'text', text: 'Long', cache_control: { type: 'ephemeral' } }), mark: 'ephemeral' }],
    Anthropic: [{ body: chatPart({ type: 'text', text: 'Long', cache_control: { type: 'ephemeral' } }), mark: 'ephemeral' }],
    Google: [{ body: { cachedContent: 'cachedContents/1' }, mark: 'cachedContents/1' }],
  },
  'stop sequences': {
    OpenAI: [{ body: { stop: ['END'] }, mark: 'END', endsBefore: 'END' }],
    Anthropic: [{ body: { stop_sequences: ['END'] }, mark: 'END', endsBefore: 'END' }],
    Google: [{ body: config({ stopSequences: ['END'] }), mark: 'END', endsBefore: 'END' }],
  },
  'web search': {
    OpenAI: [{ body: { web_search_options: {} } }],
    'OpenAI, responses': [{ body: { tools: [{ type: 'web_search' }] } }],
    Anthropic: [{ body: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] } }],
    Google: [{ body: { tools: [{ googleSearch: {} }] } }],
  },
} as const satisfies Readonly<Record<string, RequestFeature>>
