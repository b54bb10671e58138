import { json, type Received, type Script } from '../../fake-upstream.ts'
import { awsEvent } from '../event-stream-frames.ts'
import { inPieces, type ReadRequest, type ScriptedError, type ScriptedResponse, type VendorDouble } from '../vendor-double.ts'
import { anthropicDouble } from './anthropic.ts'

interface Block {
  readonly text?: string
  readonly image?: { readonly source: { readonly bytes: string } }
  readonly toolResult?: { readonly content: readonly Block[] }
}

interface Request {
  readonly system?: readonly Block[]
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: readonly Block[] }>
  readonly toolConfig?: { readonly tools: ReadonlyArray<{ readonly toolSpec: { readonly name: string } }> }
  readonly inferenceConfig?: { readonly maxTokens?: number }
}

const textOf = (blocks: readonly Block[] = []): string => blocks.map(({ text = '' }) => text).join('')

/** Cached input is not part of `inputTokens`. */
function usageOf({ usage }: ScriptedResponse) {
  if (usage === undefined) return {}
  const { prompt, completion, cached = 0 } = usage
  const counts = { inputTokens: prompt - cached, outputTokens: completion, totalTokens: prompt + completion, cacheReadInputTokens: cached }
  return { usage: counts }
}

const reasons = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use', content_filter: 'guardrail_intervened' } as const

function eventsOf(response: ScriptedResponse): readonly Uint8Array[] {
  const grow = (contentBlockIndex: number, delta: object) => awsEvent('contentBlockDelta', { contentBlockIndex, delta, p: 'abcdef' })
  const stop = (contentBlockIndex: number) => awsEvent('contentBlockStop', { contentBlockIndex, p: 'ab' })
  const calls = (response.tools ?? []).flatMap(({ name, input }, index) => {
    const at = 2 + index
    const toolUse = { toolUseId: `tooluse_${index}`, name }
    const parts = inPieces(JSON.stringify(input)).map((part) => grow(at, { toolUse: { input: part } }))
    return [awsEvent('contentBlockStart', { contentBlockIndex: at, start: { toolUse } }), ...parts, stop(at)]
  })
  const reasoning = inPieces(response.reasoning ?? '').map((text) => grow(0, { reasoningContent: { text } }))
  return [
    awsEvent('messageStart', { role: 'assistant', p: 'abc' }),
    ...reasoning,
    ...(reasoning.length === 0 ? [] : [grow(0, { reasoningContent: { signature: 'EqQB' } }), stop(0)]),
    ...inPieces(response.text ?? '').map((text) => grow(1, { text })),
    stop(1),
    ...calls,
    awsEvent('messageStop', { stopReason: reasons[response.finish ?? 'stop'] }),
    awsEvent('metadata', { ...usageOf(response), metrics: { latencyMs: 12 } }),
  ]
}

/** An error names its type in a header. */
function error(status: number, type: string, message: string): Script {
  const headers = { 'content-type': 'application/json', 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/` }
  return [
    { do: 'head', status, headers },
    { do: 'send', bytes: Buffer.from(JSON.stringify({ message })) },
  ]
}

const errors: Readonly<Record<ScriptedError, Script | null>> = {
  bad_key: error(403, 'UnrecognizedClientException', 'The security token included in the request is invalid.'),
  no_quota: null,
  rate_limited: error(429, 'ThrottlingException', 'Too many requests, please wait before trying again.'),
  unavailable: error(503, 'ServiceUnavailableException', 'Bedrock is unable to process your request.'),
  model_not_found: error(400, 'ValidationException', 'The provided model identifier is invalid.'),
  bad_request: error(400, 'ValidationException', 'The model returned the following errors: malformed input request'),
  context_length: error(400, 'ValidationException', 'Input is too long for requested model.'),
  content_policy: null,
}

const isSigned = ({ headers }: Received): boolean =>
  /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=[0-9a-f]{64}$/.test(
    String(headers['authorization']),
  )

const channel = { type: 33, key: 'AKIDEXAMPLE|wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY|us-east-1' } as const

export const bedrockDouble: VendorDouble = {
  ...channel,
  name: 'Bedrock',
  model: 'amazon-nova-pro',
  whole: (response) =>
    json({
      output: {
        message: {
          role: 'assistant',
          content: [
            ...(response.reasoning === undefined
              ? []
              : [{ reasoningContent: { reasoningText: { text: response.reasoning, signature: 'EqQB' } } }]),
            ...(response.text === undefined ? [] : [{ text: response.text }]),
            ...(response.tools ?? []).map(({ name, input }, index) => ({ toolUse: { toolUseId: `tooluse_${index}`, name, input } })),
          ],
        },
      },
      stopReason: reasons[response.finish ?? 'stop'],
      metrics: { latencyMs: 12 },
      ...usageOf(response),
    }),
  stream: (response) => ({ contentType: 'application/vnd.amazon.eventstream', frames: eventsOf(response) }),
  error: (what) => errors[what],
  errorFrame: () => awsEvent('throttlingException', { message: 'Too many requests' }, 'exception'),
  read({ body, path }): ReadRequest {
    // Holds: the gateway sends JSON in this form, or the expectations of the suite fail.
    const { system, messages, toolConfig, inferenceConfig } = JSON.parse(body) as Request
    const blocks = messages.flatMap(({ content }) => content)
    return {
      text: textOf(messages.findLast(({ role }) => role === 'user')?.content),
      system: textOf(system),
      stream: path.endsWith('/converse-stream'),
      tools: (toolConfig?.tools ?? []).map(({ toolSpec }) => toolSpec.name),
      limit: inferenceConfig?.maxTokens,
      images: blocks.flatMap(({ image }) => image?.source.bytes ?? []),
      results: blocks.flatMap(({ toolResult }) => (toolResult === undefined ? [] : textOf(toolResult.content))),
    }
  },
  isAuthorized: (request) => isSigned(request) && request.path.startsWith('/model/us.amazon.nova-pro-v1%3A0/converse'),
}

const decoder = new TextDecoder()

/** The event of an SSE frame in a frame of AWS. */
function wrapped(frame: Uint8Array): Uint8Array {
  const data = decoder
    .decode(frame)
    .replace(/^(?:event: .*\n)?data: /, '')
    .trimEnd()
  return awsEvent('chunk', { bytes: Buffer.from(data).toString('base64'), p: 'abc' })
}

/** Claude's own form behind the same service. */
export const bedrockClaudeDouble: VendorDouble = {
  ...anthropicDouble,
  ...channel,
  name: 'Claude on Bedrock',
  model: 'claude-sonnet-4-5-20250929',
  stream: (response) => ({
    contentType: 'application/vnd.amazon.eventstream',
    frames: anthropicDouble.stream(response).frames.map(wrapped),
  }),
  error: (what) => errors[what],
  errorFrame: () => awsEvent('modelStreamErrorException', { message: 'The model failed' }, 'exception'),
  read: (request) => ({ ...anthropicDouble.read(request), stream: request.path.endsWith('/invoke-with-response-stream') }),
  isAuthorized: (request) =>
    isSigned(request) && request.path.startsWith('/model/global.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke'),
}
