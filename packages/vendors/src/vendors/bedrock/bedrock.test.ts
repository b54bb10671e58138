import { describe, expect, test } from 'bun:test'
import { targetOf } from '../../../test/channel.ts'
import { cryptoFunctions as crypto } from '../../../test/crypto.ts'
import { readFailureOf } from '../../core/failure-rules.ts'
import { addressAt } from '../../core/join-url.ts'
import type { JsonObject } from '../../core/json.ts'
import type { ResponseContext } from '../../core/response.ts'
import { addressed } from '../../registry/channel-facts.ts'
import { dialectOf } from '../../registry/dialect-of.ts'
import { buildRequest } from '../../registry/request/build-request.ts'
import { modelQuery, queryContextOf } from '../../registry/vendor-queries.ts'
import { bedrockAddress, bedrockKeyOf } from './channel.ts'
import { bedrockClaude, converse } from './chat.ts'
import { bedrockEmbeddings } from './embeddings.ts'
import { readBedrockFailure } from './failures.ts'
import { bedrockImages } from './images.ts'
import { askBedrockModels } from './model-list.ts'
import { bedrockIdOf } from './models.ts'
import { bedrockRerank } from './rerank.ts'
import { signBedrock } from './sign.ts'
import { bedrockVendor } from './vendor.ts'

const channel = { baseUrl: 'https://bedrock-runtime.eu-west-1.amazonaws.com', key: 'ak|sk|eu-west-1', config: {}, other: '' }
const context: ResponseContext = { id: 'chatcmpl-1', created: 1, model: 'm' }
const target = (model: string, stream = false) => targetOf({ model, stream, channel })
const request = (body: JsonObject, model = 'amazon-nova-lite') =>
  converse.request({ messages: [{ role: 'user', content: 'Hi' }], ...body }, target(model))

describe('the key', () => {
  test('is of an account, of a session, or an API key, and names the region', () => {
    expect(bedrockKeyOf({ key: ' ak | sk | us-gov-west-1 ', config: {} })).toEqual({
      ak: 'ak',
      sk: 'sk',
      sessionToken: '',
      region: 'us-gov-west-1',
    })
    expect(bedrockKeyOf({ key: 'ak|sk|us-east-1|token', config: {} })).toMatchObject({ sessionToken: 'token' })
    expect(bedrockKeyOf({ key: 'bedrock-api-key|us-east-1', config: {} })).toEqual({ apiKey: 'bedrock-api-key', region: 'us-east-1' })
    expect(bedrockKeyOf({ key: '|bedrock-api-key|us-east-1', config: {} })).toEqual({ apiKey: 'bedrock-api-key', region: 'us-east-1' })
    expect(bedrockKeyOf({ key: '', config: { ak: 'ak', sk: 'sk', region: 'us-east-1' } })).toMatchObject({ ak: 'ak', region: 'us-east-1' })
  })

  test.each(['', 'ak', 'ak|sk', 'ak|sk|evil.example/', 'ak|sk|us-east-1/..', 'key|region'])('%p has no address', (key) => {
    expect(bedrockAddress({ key, config: {} })).toBeNull()
  })

  test('is sent as it is if it is an API key, and signs with the token of a session', () => {
    const unsigned = { method: 'POST', url: 'https://bedrock-runtime.us-east-1.amazonaws.com/x', headers: {}, body: '{}' }
    const signed = (key: string) => signBedrock(unsigned, { channel: { ...channel, key }, crypto, nowMs: 0 }).headers ?? {}
    expect(signed('the-key|us-east-1')).toEqual({ authorization: 'Bearer the-key' })
    expect(signed('ak|sk|us-east-1|token')).toMatchObject({ 'x-amz-security-token': 'token' })
    expect(signed('ak|sk|us-east-1|token')['authorization']).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token')
    expect(() => signed('no key')).toThrow('ak|sk|region')
  })
})

describe('the id of a model', () => {
  test.each([
    ['claude-sonnet-5', 'us-east-1', 'global.anthropic.claude-sonnet-5'],
    ['claude-opus-4-6', 'eu-west-1', 'global.anthropic.claude-opus-4-6-v1'],
    ['claude-sonnet-4-5', 'ap-south-1', 'global.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['claude-sonnet-4-20250514', 'eu-west-1', 'eu.anthropic.claude-sonnet-4-20250514-v1:0'],
    ['claude-3-7-sonnet-20250219', 'ap-south-1', 'apac.anthropic.claude-3-7-sonnet-20250219-v1:0'],
    ['claude-3-5-sonnet-20241022', 'us-west-2', 'anthropic.claude-3-5-sonnet-20241022-v2:0'],
    ['claude-3-haiku-20240307', 'us-west-2', 'anthropic.claude-3-haiku-20240307-v1:0'],
    ['amazon-nova-pro', 'us-gov-west-1', 'us-gov.amazon.nova-pro-v1:0'],
    ['amazon-nova-2-lite', 'eu-west-1', 'global.amazon.nova-2-lite-v1:0'],
    ['jp.anthropic.claude-opus-5-5', 'us-east-1', 'jp.anthropic.claude-opus-5-5'],
    ['deepseek.v3-v1:0', 'us-east-1', 'deepseek.v3-v1:0'],
    ['arn:aws:bedrock:us-east-1:1:inference-profile/x', 'us-east-1', 'arn:aws:bedrock:us-east-1:1:inference-profile/x'],
  ])('%s in %s is %s', (model, region, id) => {
    expect(bedrockIdOf(model, region)).toBe(id)
  })

  test('is escaped in the path', () => {
    expect(request({}, 'arn:aws:x/y:0').path).toBe('/model/arn%3Aaws%3Ax%2Fy%3A0/converse')
  })
})

describe('a request of Converse', () => {
  test('sends calls of tools as text if no tool may be called', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Porto"}' } }
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'dry' },
    ]
    expect(request({ messages }).body['messages']).toEqual([
      { role: 'user', content: [{ text: 'Hi' }] },
      { role: 'assistant', content: [{ text: '(called weather with {"city":"Porto"})' }] },
      { role: 'user', content: [{ text: '(result: dry)' }] },
    ])
  })

  test('gives Mistral’s models ids of nine characters', () => {
    const call = { id: 'call_abc-123456789', type: 'function', function: { name: 'f', arguments: '{}' } }
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_abc-123456789', content: 'dry' },
    ]
    const tools = [{ type: 'function', function: { name: 'f' } }]
    const { body } = request({ messages, tools }, 'mistral-large-2402')
    expect(body['messages']).toMatchObject([
      {},
      { content: [{ toolUse: { toolUseId: '123456789' } }] },
      { content: [{ toolResult: { toolUseId: '123456789' } }] },
    ])
  })

  test('forces a tool for a schema, and chooses tools', () => {
    const format = { type: 'json_schema', json_schema: { schema: { type: 'object' } } }
    const { body, unwrapTool } = request({ response_format: format })
    expect(body['toolConfig']).toMatchObject({ toolChoice: { tool: { name: 'json' } } })
    expect(unwrapTool).toBe('json')
    const tools = [{ type: 'function', function: { name: 'f' } }]
    expect(request({ tools, tool_choice: 'required' }).body['toolConfig']).toMatchObject({ toolChoice: { any: {} } })
    expect(request({ tools, tool_choice: 'none' }).body).not.toHaveProperty('toolConfig')
    expect(request({ tools, tool_choice: 'required' }, 'llama3-3-70b-128k').refused).toBe('tool_choice')
  })

  test('carries documents, marks of the cache and reasoning, and refuses what it cannot carry', () => {
    const file = { type: 'file', file: { filename: 'a_b?.pdf', file_data: 'data:application/pdf;base64,AAAA' } }
    const messages = [
      { role: 'system', content: [{ type: 'text', text: 'Long', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
      { role: 'user', content: [file] },
      { role: 'assistant', content: 'So', thinking_blocks: [{ type: 'thinking', thinking: 'T', signature: 'S' }] },
      { role: 'user', content: 'And?' },
    ]
    expect(request({ messages }).body).toMatchObject({
      system: [{ text: 'Long' }, { cachePoint: { type: 'default', ttl: '1h' } }],
      messages: [
        { content: [{ document: { format: 'pdf', name: 'a b', source: { bytes: 'AAAA' } } }] },
        { content: [{ reasoningContent: { reasoningText: { text: 'T', signature: 'S' } } }, { text: 'So' }] },
        {},
      ],
    })
    expect(request({ messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] }).refused).toBe('messages')
  })

  test('has audio as bytes for the models that hear, and refuses it for others', () => {
    const withAudio = (input_audio: JsonObject, model = 'mistral.voxtral-mini-3b-2507') =>
      request({ messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio }] }] }, model)
    const audioFile = { data: 'UklGRg==', format: 'wav' }
    expect(withAudio(audioFile).body).toMatchObject({
      messages: [{ content: [{ audio: { format: 'wav', source: { bytes: 'UklGRg==' } } }] }],
    })
    expect(withAudio({ ...audioFile, data: `data:audio/wav;base64,${audioFile.data}` }).body).toEqual(withAudio(audioFile).body)
    for (const odd of [{ data: 'UklGRg==', format: 'midi' }, { data: '', format: 'wav' }, {}])
      expect(withAudio(odd).refused).toBe('messages')
    expect(withAudio(audioFile, 'amazon-nova-pro').refused).toBe('messages')
  })

  test('says the effort to the models that have one', () => {
    expect(request({ reasoning_effort: 'xhigh' }, 'amazon-nova-2-lite').body['additionalModelRequestFields']).toEqual({
      reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' },
    })
    expect(request({ reasoning_effort: 'low' }, 'gpt-oss-20b').body['additionalModelRequestFields']).toEqual({ reasoning_effort: 'low' })
    expect(request({ reasoning_effort: 'low' }).body).not.toHaveProperty('additionalModelRequestFields')
  })
})

describe('a response of Converse', () => {
  const whole = (content: readonly JsonObject[], more: JsonObject = {}, responseContext = context) =>
    converse.response(
      { output: { message: { content } }, stopReason: 'end_turn', usage: { inputTokens: 10, outputTokens: 4 }, ...more },
      responseContext,
    )

  test('counts what was read from and written to the cache beside the input', () => {
    const usage = {
      inputTokens: 10,
      outputTokens: 4,
      cacheReadInputTokens: 100,
      cacheWriteInputTokens: 50,
      cacheDetails: [{ ttl: '1h', inputTokens: 20 }],
    }
    expect(whole([{ text: 'Hi' }], { usage })).toMatchObject({
      usage: { promptTokens: 160, completionTokens: 4, cachedTokens: 100, cacheWriteTokens: 30, cacheWrite1hTokens: 20 },
    })
    expect(whole([{ text: 'Hi' }], { usage: { inputTokens: -1, outputTokens: 4 } })).toMatchObject({ usage: { isSuspect: true } })
  })

  test('unwraps a structured response, and takes cited text as content', () => {
    const use = { toolUse: { toolUseId: 't', name: 'json', input: { a: 1 } } }
    expect(whole([use], { stopReason: 'tool_use' }, { ...context, unwrapTool: 'json' })).toMatchObject({
      response: { choices: [{ message: { content: '{"a":1}' }, finish_reason: 'stop' }] },
    })
    expect(whole([{ citationsContent: { content: [{ text: 'Cited' }] } }])).toMatchObject({
      response: { choices: [{ message: { content: 'Cited' } }] },
    })
  })

  test.each(['malformed_model_output', 'malformed_tool_use'])(
    'that ends by %s is a failure with its usage, whatever came before',
    (stopReason) => {
      const usage = { inputTokens: 10, outputTokens: 900 }
      const known = { promptTokens: 10, completionTokens: 900 }
      for (const text of ['', 'Hi']) {
        const failure = { kind: 'unavailable', type: stopReason, unread: { usage: known, text } }
        expect(whole(text === '' ? [] : [{ text }], { stopReason, usage })).toMatchObject(failure)
        const stream = converse.stream(context)
        stream.event(JSON.stringify({ role: 'assistant' }), 'messageStart')
        stream.event(JSON.stringify({ contentBlockIndex: 0, delta: { text } }), 'contentBlockDelta')
        expect(stream.event(JSON.stringify({ stopReason }), 'messageStop').chunks).toEqual([])
        expect(stream.event(JSON.stringify({ usage }), 'metadata').failure).toMatchObject(failure)
        expect(stream.end().complete).toBe(false)
      }
    },
  )

  test('returns each reasoning block as it was signed, when that block ends, with a protocol that has reasoning', () => {
    const reasoning = (text: string) => ({ reasoningContent: { reasoningText: { text, signature: `of ${text}` } } })
    const signed = (text: string) => ({ type: 'thinking', thinking: text, signature: `of ${text}` })
    const hidden = { reasoningContent: { redactedContent: 'aGlk' } }
    const blocks = [signed('One'), { type: 'redacted_thinking', data: 'aGlk' }, signed('Two')]
    expect(whole([reasoning('One'), hidden, reasoning('Two'), { text: 'Hi' }])).toMatchObject({
      response: { choices: [{ message: { reasoning_content: 'OneTwo', thinking_blocks: blocks } }] },
    })
    const play = (isDetailed?: true) => {
      const stream = converse.stream(isDetailed === undefined ? context : { ...context, isDetailed })
      const send = (name: string, data: object) => stream.event(JSON.stringify(data), name).chunks
      const block = (at: number, delta: object) => [
        ...send('contentBlockDelta', { contentBlockIndex: at, delta }),
        ...send('contentBlockStop', { contentBlockIndex: at }),
      ]
      const one = block(0, { reasoningContent: { text: 'One', signature: 'of One' } })
      return [
        one,
        [...block(1, hidden), ...block(2, { reasoningContent: { text: 'Two', signature: 'of Two' } }), ...send('messageStop', {})],
      ]
    }
    const thinkingBlocksIn = (chunks: readonly JsonObject[]): readonly string[] =>
      JSON.stringify(chunks).match(/"thinking_blocks":\[.*?\]/g) ?? []
    const all = (list: readonly JsonObject[]) => `"thinking_blocks":${JSON.stringify(list)}`
    expect(play().map(thinkingBlocksIn)).toEqual([[], [all(blocks)]])
    expect(play(true).map(thinkingBlocksIn)).toEqual([[all([signed('One')])], blocks.slice(1).map((block) => all([block]))])
  })

  test('says that a stop sequence ended it only to clients whose protocol says it', () => {
    const reason = (isDetailed?: true) =>
      whole([{ text: 'Hi' }], { stopReason: 'stop_sequence' }, isDetailed ? { ...context, isDetailed } : context)
    expect(JSON.stringify(reason())).not.toContain('stop_reason')
    expect(reason(true)).toMatchObject({ response: { choices: [{ finish_reason: 'stop', stop_reason: '' }] } })
  })

  test('gives a call without arguments an object, and ends after the counts in whatever order', () => {
    const stream = converse.stream(context)
    const send = (name: string, data: object) => stream.event(JSON.stringify(data), name)
    send('contentBlockStart', { contentBlockIndex: 0, start: { toolUse: { toolUseId: 't', name: 'f' } } })
    expect(send('contentBlockStop', { contentBlockIndex: 0 }).text).toBe('{}')
    send('metadata', { usage: { inputTokens: 1, outputTokens: 2 } })
    expect(send('messageStop', { stopReason: 'tool_use' }).isLast).toBe(true)
    expect(stream.end()).toMatchObject({ complete: true, usage: { promptTokens: 1, completionTokens: 2 } })
    expect(stream.event('no JSON', 'metadata')).toMatchObject({ chunks: [] })
  })
})

describe('an error', () => {
  test.each([
    [403, 'AccessDeniedException', "You don't have access to the model with the specified model ID.", 'forbidden', null],
    [403, 'AccessDeniedException', 'Authentication failed: Please make sure your API Key is valid.', 'bad_key', null],
    [403, 'UnrecognizedClientException', 'The security token included in the request is invalid.', 'bad_key', null],
    [403, 'InvalidSignatureException', 'The request signature we calculated does not match the signature you provided.', 'bad_key', null],
    [403, 'InvalidSignatureException', 'Signature expired: 20261122T000000Z is now earlier than 20261122T001000Z', 'unavailable', null],
    [403, 'AccessDeniedException', 'Bearer Token has expired', 'bad_key', null],
    [403, 'MissingAuthenticationTokenException', 'Missing Authentication Token', 'forbidden', null],
    [400, 'ValidationException', 'The tool name "check whether an api key is valid" has spaces', 'bad_request', null],
    [403, 'AccessDeniedException', 'This API key may not call the operation', 'forbidden', null],
    [403, 'ExpiredTokenException', 'The security token included in the request is expired', 'bad_key', null],
    [400, 'ValidationException', 'Malformed input request', 'bad_request', null],
    [400, 'ValidationException', 'Input is too long for requested model.', 'bad_request', 'context_length_exceeded'],
    [400, 'ValidationException', 'Invocation of model ID x with on-demand throughput isn’t supported.', 'model_not_found', null],
    [404, 'ResourceNotFoundException', 'This model version has reached the end of its life.', 'model_not_found', null],
    [408, 'ModelTimeoutException', 'The model timed out', 'unavailable', null],
    [424, 'ModelErrorException', 'The model failed', 'unavailable', null],
    [429, 'ThrottlingException', 'Too many tokens per day', 'rate_limited', null],
    [429, 'ModelNotReadyException', 'The model is not ready', 'rate_limited', null],
    [400, 'ServiceQuotaExceededException', 'Your request exceeds the service quota', 'rate_limited', null],
    [500, 'InternalServerException', 'Try again', 'unavailable', null],
    [503, 'ServiceUnavailableException', 'Try again', 'unavailable', null],
  ] as const)('%d %s (%s) is %s', (status, type, message, kind, code) => {
    expect(readBedrockFailure(status, JSON.stringify({ message }), `${type}:http://internal/`)).toMatchObject({ kind, message, type, code })
    expect(readBedrockFailure(status, JSON.stringify({ Message: message, __type: `com.amazon#${type}` }))).toMatchObject({
      kind,
      message,
      type,
    })
  })

  test('that says that the tokens of a day are used up keeps requests away for the longest pause', () => {
    const read = (message: string, type: string) =>
      readFailureOf(converse, bedrockVendor.failures, { status: 429, body: JSON.stringify({ message }), type })
    const used = read('Too many tokens per day, please wait before trying again.', 'ThrottlingException')
    expect(used).toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 60 })
    expect(read('Too many tokens, please wait before trying again.', 'ThrottlingException').retryAfterSeconds).toBeUndefined()
  })

  test('that is a page of a proxy is not the key’s fault', () => {
    expect(readBedrockFailure(401, '<html></html>')).toMatchObject({ kind: 'forbidden' })
  })

  test('within a stream has the kind of its exception, also in Claude’s', () => {
    const event = (name: string) =>
      [converse, bedrockClaude].map((dialect) => dialect.stream(context).event('{"message":"So"}', name).failure?.kind)
    expect(event('throttlingException')).toEqual(['rate_limited', 'rate_limited'])
    expect(event('modelStreamErrorException')).toEqual(['unavailable', 'unavailable'])
    expect(event('validationException')).toEqual(['bad_request', 'bad_request'])
  })
})

describe('Claude’s requests', () => {
  test('have no tier and no speed, and refuse servers of tools', () => {
    const { path, body, headers } = bedrockClaude.request(
      { messages: [], speed: 'fast', service_tier: 'auto' },
      target('claude-sonnet-5', true),
    )
    expect(path).toBe('/model/global.anthropic.claude-sonnet-5/invoke-with-response-stream')
    expect(headers).toEqual({ accept: 'application/vnd.amazon.eventstream' })
    expect(body).toMatchObject({ anthropic_version: 'bedrock-2023-05-31' })
    for (const field of ['model', 'stream', 'speed', 'service_tier', 'anthropic_beta']) expect(body).not.toHaveProperty(field)
    expect(bedrockClaude.request({ messages: [], mcp_servers: [{}] }, target('claude-sonnet-5')).refused).toBe('mcp_servers')
  })
})

describe('embeddings', () => {
  const embed = (body: JsonObject, model: string) => bedrockEmbeddings.request(body, { ...target(model), kind: 'embeddings' })

  test('have the form of their model', () => {
    expect(embed({ input: 'a', dimensions: 256 }, 'amazon.titan-embed-text-v2:0')).toMatchObject({
      path: '/model/amazon.titan-embed-text-v2%3A0/invoke',
      body: { inputText: 'a', dimensions: 256 },
    })
    expect(embed({ input: ['a', 'b'] }, 'embed-english-v3.0').body).toEqual({ texts: ['a', 'b'], input_type: 'search_document' })
    expect(embed({ input: ['a', 'b'] }, 'amazon-titan-embed-text').refused).toBe('input')
    expect(embed({ input: [1, 2] }, 'embed-english-v3.0').refused).toBe('input')
  })

  test('are read from both forms', () => {
    const read = (json: JsonObject) => bedrockEmbeddings.response?.(json, context)
    expect(read({ embedding: [1, 2], inputTextTokenCount: 7 })).toMatchObject({
      response: { data: [{ embedding: [1, 2] }] },
      usage: { promptTokens: 7 },
    })
    expect(read({ embeddings: [[1], [2]] })).toMatchObject({ response: { data: [{ embedding: [1] }, { index: 1 }] }, usage: null })
    expect(read({})).toBeNull()
  })
})

test('the models are requested from the control plane with a signature, and its two lists become one', () => {
  const queryContext = { ...channel, headers: {}, modelsPath: undefined, nowMs: 0, crypto }
  const first = askBedrockModels(queryContext, [])
  expect(first).toMatchObject({
    request: {
      url: 'https://bedrock.eu-west-1.amazonaws.com/foundation-models?byOutputModality=TEXT',
      headers: { authorization: expect.stringContaining('/eu-west-1/bedrock/aws4_request') },
    },
  })
  const models = { modelSummaries: [{ modelId: 'amazon.nova-lite-v1:0' }] }
  const profiles = { inferenceProfileSummaries: [{ inferenceProfileId: 'eu.amazon.nova-lite-v1:0' }] }
  expect(askBedrockModels(queryContext, [models, profiles])).toEqual({ result: ['amazon.nova-lite-v1:0', 'eu.amazon.nova-lite-v1:0'] })
  expect(askBedrockModels(queryContext, [{ message: 'denied' }])).toEqual({ failed: 'denied' })
})

describe('Claude by InvokeModel', () => {
  test.each([
    [{ speed: 'fast' }, 'speed'],
    [{ service_tier: 'priority' }, 'service_tier'],
    [{ inference_geo: 'us' }, 'inference_geo'],
    [{ mcp_servers: [] }, 'mcp_servers'],
    [{ web_search_options: {} }, 'web_search_options'],
    [{ tools: [{ type: 'web_search' }] }, 'tools[].type'],
  ] as const)('refuses %p by name, because the service has no such thing', (body, refused) => {
    const outgoing = bedrockClaude.request({ messages: [{ role: 'user', content: 'Hi' }], ...body }, target('claude-sonnet-5'))
    expect(outgoing.refused).toBe(refused)
  })

  test('leaves out what asks for the usual', () => {
    const usual = { speed: 'standard', service_tier: 'default', inference_geo: null }
    const outgoing = bedrockClaude.request({ messages: [{ role: 'user', content: 'Hi' }], ...usual }, target('claude-sonnet-5'))
    expect(outgoing.refused).toBeUndefined()
    expect(Object.keys(outgoing.body)).not.toContain('speed')
  })
})

test('the tier that served a request is read', () => {
  const content = [{ text: 'Hi' }]
  const response = { output: { message: { content } }, stopReason: 'end_turn', usage: { inputTokens: 1, outputTokens: 1 } }
  expect(converse.response({ ...response, serviceTier: { type: 'priority' } }, context)).toMatchObject({
    usage: { serviceTier: 'priority' },
  })
  expect(converse.response(response, context)).toMatchObject({ usage: { serviceTier: 'standard' } })
})

describe('rerank', () => {
  test('is invoked, with the version that Cohere’s model wants', () => {
    expect(bedrockRerank.request({ query: 'q', documents: ['a', { text: 'b' }] }, target('rerank-v3.5'))).toMatchObject({
      path: '/model/cohere.rerank-v3-5%3A0/invoke',
      body: { query: 'q', documents: ['a', 'b'], top_n: 2, api_version: 2 },
    })
    expect(bedrockRerank.request({ query: 'q', documents: ['a'], top_n: 1 }, target('amazon-rerank-v1')).body).toEqual({
      query: 'q',
      documents: ['a'],
      top_n: 1,
    })
  })

  test('is paid by the hundred documents', () => {
    const read = (count: number) =>
      bedrockRerank.response({ results: [{ index: 0, relevance_score: 0.5 }] }, { ...context, echo: { count } })
    expect([read(100), read(101)]).toMatchObject([{ usage: { calls: 1 } }, { usage: { calls: 2 } }])
  })
})

describe('images', () => {
  const ask = (body: JsonObject) => bedrockImages.request({ prompt: 'a dot', ...body }, target('stable-image-core'))

  test('have a shape, and come as base64', () => {
    expect(ask({ size: '1536x1024' })).toMatchObject({
      path: '/model/stability.stable-image-core-v1%3A1/invoke',
      body: { prompt: 'a dot', aspect_ratio: '3:2', output_format: 'png' },
    })
    expect(bedrockImages.response({ images: ['iVBO'], finish_reasons: [null] }, context)).toMatchObject({
      response: { data: [{ b64_json: 'iVBO' }] },
      usage: { images: 1 },
    })
  })

  test('that the filter found are the client’s error', () => {
    expect(bedrockImages.response({ images: [''], finish_reasons: ['Filter reason: prompt'] }, context)).toMatchObject({
      kind: 'bad_request',
      code: 'content_policy_violation',
    })
  })

  test.each([
    [{ n: 2 }, 'n'],
    [{ size: '1x1' }, 'size'],
    [{ response_format: 'url' }, 'response_format'],
  ] as const)('with %p are refused by name', (body, refused) => {
    expect(ask(body).refused).toBe(refused)
  })
})

test('Nova’s embeddings are requested one by one', () => {
  const outgoing = bedrockEmbeddings.request({ input: 'Hi', dimensions: 256 }, target('amazon-nova-2-multimodal-embeddings'))
  expect(outgoing).toMatchObject({
    path: '/model/amazon.nova-2-multimodal-embeddings-v1%3A0/invoke',
    body: { taskType: 'SINGLE_EMBEDDING', singleEmbeddingParams: { embeddingDimension: 256, text: { value: 'Hi' } } },
  })
  const response = bedrockEmbeddings.response?.({ embeddings: [{ embeddingType: 'TEXT', embedding: [1, 2] }] }, context)
  expect(response).toMatchObject({ response: { data: [{ embedding: [1, 2] }] } })
  expect(bedrockEmbeddings.request({ input: ['a', 'b'] }, target('amazon-titan-embed-text-v2')).refused).toBe('input')
})

describe('the interfaces in OpenAI’s form', () => {
  const urlOf = (model: string, kind: 'chat' | 'responses', baseUrl = '') => {
    const ownChannel = addressed(bedrockVendor, { baseUrl, key: 'ak|sk|us-east-1', config: '', other: '' })
    if (ownChannel === null) throw new Error('there is no address')
    const outgoing = buildRequest(ownChannel.vendor, { messages: [] }, { kind, model, stream: false, channel: ownChannel.facts })
    return [addressAt(ownChannel.facts.baseUrl, outgoing.path), outgoing.body['model']]
  }
  const runtime = 'https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1'
  const mantle = 'https://bedrock-mantle.us-east-1.api.aws'

  test('lists its models for a signed request', () => {
    const ownChannel = addressed(bedrockVendor, { baseUrl: mantle, key: 'ak|sk|us-east-1', config: '', other: '' })
    const query = ownChannel && modelQuery(ownChannel.vendor)
    if (!ownChannel || query === null) throw new Error('there is no list')
    const step = query(queryContextOf(ownChannel.vendor, { facts: ownChannel.facts, credential: 'ak|sk|us-east-1', nowMs: 0, crypto }), [])
    expect(step).toMatchObject({
      request: {
        method: 'GET',
        url: `${mantle}/v1/models`,
        headers: { authorization: expect.stringContaining('/us-east-1/bedrock-mantle/') },
      },
    })
  })

  test('are used for OpenAI’s closed models', () => {
    expect(urlOf('us.openai.gpt-6-sol', 'chat')).toEqual([`${runtime}/chat/completions`, 'us.openai.gpt-6-sol'])
    expect(urlOf('openai.gpt-6-sol', 'responses')).toEqual([`${runtime}/responses`, 'openai.gpt-6-sol'])
    expect(dialectOf(bedrockVendor, 'responses', 'gpt-oss-20b')?.fallbackKind).toBe('chat')
  })

  test('are used for every model at the other host', () => {
    expect(urlOf('gpt-oss-120b', 'responses', mantle)).toEqual([`${mantle}/v1/responses`, 'openai.gpt-oss-120b'])
    expect(urlOf('openai.gpt-6-sol', 'chat', `${mantle}/openai/v1`)).toEqual([`${mantle}/openai/v1/chat/completions`, 'openai.gpt-6-sol'])
    expect(urlOf('claude-opus-5', 'chat', mantle)).toEqual([`${mantle}/anthropic/v1/messages`, 'anthropic.claude-opus-5'])
  })

  test('are signed for their service', () => {
    const signed = signBedrock({ method: 'POST', url: `${mantle}/v1/responses`, headers: {}, body: '{}' }, { channel, crypto, nowMs: 0 })
    expect(signed.headers?.['authorization']).toContain('/eu-west-1/bedrock-mantle/aws4_request')
  })
})
