import type { JsonObject } from '@sluice/vendors/core/json'

// Requests, responses and events of the protocols that clients speak, with every member that something in the repository reads.

const schema = {
  type: 'object',
  properties: { city: { type: 'string', enum: ['a'], pattern: 'a' } },
  required: ['city'],
  $defs: { a: { $ref: '#' } },
}

export const chat: JsonObject = {
  model: 'm',
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }], name: 'a' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      ],
    },
    { role: 'user', content: [{ type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA', file_id: 'a' } }] },
    {
      role: 'assistant',
      content: 'a',
      refusal: 'a',
      reasoning_content: 'a',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'a', arguments: '{"city":"a"}' } }],
      thinking_blocks: [{ type: 'thinking', thinking: 'a', signature: 'a' }],
      extra_content: { google: { thought_signature: 'a' } },
    },
    { role: 'tool', tool_call_id: 'a', content: '{"a":1}' },
    { role: 'assistant', content: null, function_call: { name: 'a', arguments: '{}' } },
    { role: 'function', name: 'a', content: 'a' },
    { role: 'user', content: 'a' },
  ],
  tools: [{ type: 'function', function: { name: 'a', description: 'a', parameters: schema, strict: true } }],
  tool_choice: { type: 'function', function: { name: 'a' } },
  response_format: { type: 'json_schema', json_schema: { name: 'a', description: 'a', schema, strict: true } },
  stop: ['a'],
  user: 'a',
  metadata: { user_id: 'a' },
  reasoning_effort: 'low',
  web_search_options: { user_location: { approximate: { city: 'a', country: 'a' } }, search_context_size: 'low' },
  prediction: { type: 'content', content: 'a' },
  logit_bias: { a: 1 },
  modalities: ['text'],
  extra_body: { google: { thinking_config: { include_thoughts: true }, cached_content: 'a' } },
  thinking: { type: 'enabled', budget_tokens: 1024 },
}

export const message: JsonObject = {
  model: 'm',
  max_tokens: 10,
  system: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a', citations: [{ type: 'char_location', cited_text: 'a', document_title: 'a' }] },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        { type: 'document', title: 'a', context: 'a', source: { type: 'url', url: 'https://a.example/a.pdf' } },
      ],
    },
    { role: 'user', content: [{ type: 'search_result', source: 'a', title: 'a', content: [{ type: 'text', text: 'a' }] }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'a', signature: 'a' },
        { type: 'redacted_thinking', data: 'a' },
        { type: 'tool_use', id: 'a', name: 'a', input: { city: 'a' } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'a' }], is_error: false }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '{"a":1}' }] },
  ],
  tools: [
    { name: 'a', description: 'a', input_schema: schema },
    { type: 'web_search_20250305', name: 'web_search', allowed_domains: ['a'] },
  ],
  tool_choice: { type: 'tool', name: 'a' },
  stop_sequences: ['a'],
  metadata: { user_id: 'a' },
  thinking: { type: 'enabled', budget_tokens: 1024 },
  output_config: { effort: 'low', format: { type: 'json_schema', schema } },
}

export const response: JsonObject = {
  model: 'm',
  instructions: 'a',
  input: [
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'a' },
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA', file_id: 'a', detail: 'low' },
        { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA', file_url: 'https://a.example/a.pdf' },
      ],
    },
    {
      type: 'message',
      role: 'assistant',
      id: 'a',
      content: [{ type: 'output_text', text: 'a', annotations: [{ type: 'url_citation', url: 'a', title: 'a' }] }],
    },
    { type: 'reasoning', id: 'a', encrypted_content: 'a', summary: [{ type: 'summary_text', text: 'a' }] },
    { type: 'function_call', id: 'a', call_id: 'a', name: 'a', arguments: '{"city":"a"}', namespace: 'a' },
    { type: 'function_call_output', call_id: 'a', output: '{"a":1}' },
    { type: 'custom_tool_call', call_id: 'a', name: 'a', input: 'a' },
    { type: 'custom_tool_call_output', call_id: 'a', output: [{ type: 'input_text', text: 'a' }] },
    { type: 'item_reference', id: 'a' },
  ],
  tools: [
    { type: 'function', name: 'a', description: 'a', parameters: schema, strict: true },
    { type: 'custom', name: 'a', description: 'a', format: { type: 'grammar', syntax: 'lark', definition: 'a' } },
    { type: 'namespace', name: 'a', description: 'a', tools: [{ type: 'function', name: 'a', parameters: schema }] },
    { type: 'web_search', filters: { allowed_domains: ['a'] }, user_location: { type: 'approximate', city: 'a' } },
  ],
  tool_choice: { type: 'function', name: 'a' },
  text: { format: { type: 'json_schema', name: 'a', schema, strict: true }, verbosity: 'low' },
  reasoning: { effort: 'low', summary: 'auto' },
  include: ['reasoning.encrypted_content'],
  metadata: { a: 'a' },
  previous_response_id: 'a',
  user: 'a',
}

export const generated: JsonObject = {
  systemInstruction: { parts: [{ text: 'a' }] },
  contents: [
    {
      role: 'user',
      parts: [
        { text: 'a' },
        { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
        { fileData: { mimeType: 'application/pdf', fileUri: 'https://a.example/a.pdf' } },
      ],
    },
    {
      role: 'model',
      parts: [{ text: 'a', thought: true, thoughtSignature: 'a' }, { functionCall: { id: 'a', name: 'a', args: { city: 'a' } } }],
    },
    { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'a', response: { result: 'a' } } }] },
    {
      role: 'model',
      parts: [{ executableCode: { language: 'PYTHON', code: 'a' } }, { codeExecutionResult: { outcome: 'OUTCOME_OK', output: 'a' } }],
    },
  ],
  tools: [
    { functionDeclarations: [{ name: 'a', description: 'a', parameters: { type: 'OBJECT', properties: { a: { type: 'STRING' } } } }] },
    { googleSearch: {} },
  ],
  toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['a'] } },
  generationConfig: {
    responseMimeType: 'application/json',
    responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
    responseJsonSchema: schema,
    stopSequences: ['a'],
    thinkingConfig: { thinkingBudget: 1024, includeThoughts: true },
  },
  safetySettings: [{ category: 'a', threshold: 'a' }],
  cachedContent: 'a',
}

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, prompt_tokens_details: { cached_tokens: 1 } }
const call = { index: 0, id: 'a', type: 'function', function: { name: 'a', arguments: '{"city":"a"}' } }
const annotation = { type: 'url_citation', url_citation: { url: 'https://a.example', title: 'a', start_index: 0, end_index: 1 } }

const chunk = (delta: JsonObject, reason: string | null = null): JsonObject => ({
  id: 'a',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: reason }],
})

/** Responses and events of the protocols. */
const responses: readonly JsonObject[] = [
  {
    id: 'a',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'a', reasoning_content: 'a', tool_calls: [call], annotations: [annotation] },
        finish_reason: 'stop',
      },
    ],
    usage,
  },
  chunk({ role: 'assistant', content: 'a' }),
  chunk({ reasoning_content: 'a' }),
  chunk({ thinking_blocks: [{ type: 'thinking', thinking: 'a', signature: 'a' }] }),
  chunk({ tool_calls: [call] }),
  chunk({ annotations: [annotation] }),
  chunk({}, 'stop'),
  { ...chunk({}), choices: [], usage },
  { error: { message: 'a', type: 'a', param: 'a', code: 'a' } },
  {
    type: 'message',
    id: 'a',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'a' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  {
    type: 'message_start',
    message: { id: 'a', type: 'message', role: 'assistant', content: [], model: 'm', usage: { input_tokens: 1, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', name: 'a', input: {} } },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'a' } },
  {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'citations_delta', citation: { type: 'web_search_result_location', url: 'a', title: 'a', cited_text: 'a' } },
  },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
  {
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts: [{ text: 'a' }] },
        finishReason: 'STOP',
        groundingMetadata: {
          groundingChunks: [{ web: { uri: 'a', title: 'a' } }],
          groundingSupports: [{ segment: { startIndex: 0, endIndex: 1, text: 'a' }, groundingChunkIndices: [0] }],
        },
      },
    ],
  },
  {
    candidates: [
      {
        index: 0,
        content: {
          role: 'model',
          parts: [
            { functionCall: { name: 'a', args: { a: 'a' } }, thoughtSignature: 'a' },
            { text: 'a', thought: true },
          ],
        },
      },
    ],
  },
  { type: 'response.output_item.added', output_index: 0, item: { type: 'function_call', id: 'a', call_id: 'a', name: 'a', arguments: '' } },
  { type: 'response.output_text.delta', item_id: 'a', output_index: 0, content_index: 0, delta: 'a' },
  { type: 'response.function_call_arguments.delta', item_id: 'a', output_index: 0, delta: 'a' },
  {
    type: 'response.completed',
    response: {
      id: 'a',
      object: 'response',
      status: 'completed',
      output: [{ type: 'message', id: 'a', role: 'assistant', content: [{ type: 'output_text', text: 'a', annotations: [] }] }],
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  },
]

/** What functions of many folders read. */
export const protocolDocuments: readonly JsonObject[] = [chat, message, response, generated, ...responses]
