import Anthropic from '@anthropic-ai/sdk'
import {
  BedrockRuntimeClient,
  BedrockRuntimeServiceException,
  ConverseCommand,
  ConverseStreamCommand,
  InvokeModelWithResponseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime'
import { ApiError, GoogleGenAI } from '@google/genai'
import { Mistral } from '@mistralai/mistralai'
import { MistralError } from '@mistralai/mistralai/models/errors'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { CohereClientV2, CohereError } from 'cohere-ai'
import { Ollama } from 'ollama'
import { anthropicDouble } from './doubles/anthropic.ts'
import { bedrockClaudeDouble, bedrockDouble } from './doubles/bedrock.ts'
import { cohereDouble } from './doubles/cohere.ts'
import { mistralDouble } from './doubles/compatible.ts'
import { geminiDouble } from './doubles/gemini.ts'
import { ollamaDouble } from './doubles/ollama.ts'
import type { VendorDouble } from './vendor-double.ts'

// The vendors' own clients, pointed at their doubles: what they read proves that the doubles speak the vendors' wires.

/** What a client read of a response. */
export interface SdkResponse {
  readonly text: string
  readonly reasoning?: string
  readonly calls: ReadonlyArray<{ readonly name: string; readonly input: unknown }>
  readonly prompt: number | undefined
  readonly completion: number | undefined
}

export interface SdkClient {
  readonly name: string
  readonly double: VendorDouble
  /** Asks `Hi` with the tool `weather`. */
  ask?(url: string): Promise<SdkResponse>
  stream(url: string): Promise<SdkResponse>
  /** The HTTP status of an error that the client threw; `null`: it is not the error of the vendor's client. */
  statusOf(error: unknown): number | null | undefined
  /** It sends the key to the same path in the same header as the gateway. Others use another version of either. */
  readonly sendsKey?: true
  /** The numbers of an embedding of `Hi`. */
  embed?(url: string): Promise<readonly number[] | undefined>
}

/** Joins the pieces of a stream. */
class Joined {
  text = ''
  reasoning = ''
  prompt: number | undefined
  completion: number | undefined
  readonly #calls: { name: string; input: string }[] = []

  call(name: string, input = ''): void {
    this.#calls.push({ name, input })
  }

  argument(piece: string): void {
    const last = this.#calls.at(-1)
    if (last !== undefined) last.input += piece
  }

  get response(): SdkResponse {
    const { text, reasoning, prompt, completion } = this
    return { text, reasoning, prompt, completion, calls: this.#calls.map(({ name, input }) => ({ name, input: JSON.parse(input) })) }
  }
}

const city = { type: 'object', properties: { city: { type: 'string' } } }
const messages = [{ role: 'user' as const, content: 'Hi' }]
const openaiTools = [{ type: 'function' as const, function: { name: 'weather', parameters: city } }]

const bedrockAt = (endpoint: string) =>
  new BedrockRuntimeClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
    maxAttempts: 1,
    // The client would speak HTTP/2.
    requestHandler: new NodeHttpHandler(),
  })

const bedrockAsk = {
  modelId: 'us.amazon.nova-pro-v1:0',
  messages: [{ role: 'user' as const, content: [{ text: 'Hi' }] }],
  toolConfig: { tools: [{ toolSpec: { name: 'weather', inputSchema: { json: city } } }] },
}

const bedrockStatus = (error: unknown) => (error instanceof BedrockRuntimeServiceException ? error.$metadata.httpStatusCode : null)

const bedrock: SdkClient = {
  name: '@aws-sdk/client-bedrock-runtime, Converse',
  double: bedrockDouble,
  async ask(url) {
    const { output, usage } = await bedrockAt(url).send(new ConverseCommand(bedrockAsk))
    const blocks = output?.message?.content ?? []
    return {
      text: blocks.map(({ text = '' }) => text).join(''),
      reasoning: blocks.map(({ reasoningContent }) => reasoningContent?.reasoningText?.text ?? '').join(''),
      calls: blocks.flatMap(({ toolUse }) => (toolUse === undefined ? [] : [{ name: toolUse.name ?? '', input: toolUse.input }])),
      prompt: usage?.inputTokens,
      completion: usage?.outputTokens,
    }
  },
  async stream(url) {
    const joined = new Joined()
    const { stream = [] } = await bedrockAt(url).send(new ConverseStreamCommand(bedrockAsk))
    for await (const { contentBlockStart, contentBlockDelta, metadata } of stream) {
      const { text = '', toolUse, reasoningContent } = contentBlockDelta?.delta ?? {}
      joined.text += text
      joined.reasoning += reasoningContent?.text ?? ''
      if (contentBlockStart?.start?.toolUse !== undefined) joined.call(contentBlockStart.start.toolUse.name ?? '')
      joined.argument(toolUse?.input ?? '')
      joined.prompt = metadata?.usage?.inputTokens ?? joined.prompt
      joined.completion = metadata?.usage?.outputTokens ?? joined.completion
    }
    return joined.response
  },
  statusOf: bedrockStatus,
}

/** Events of Anthropic in any form that its client gives them. */
function readAnthropic(joined: Joined, event: Anthropic.MessageStreamEvent): void {
  if (event.type === 'message_start') joined.prompt = event.message.usage.input_tokens
  if (event.type === 'message_delta') joined.completion = event.usage.output_tokens
  if (event.type === 'content_block_start' && event.content_block.type === 'tool_use') joined.call(event.content_block.name)
  if (event.type !== 'content_block_delta') return
  const { delta } = event
  if (delta.type === 'text_delta') joined.text += delta.text
  if (delta.type === 'thinking_delta') joined.reasoning += delta.thinking
  if (delta.type === 'input_json_delta') joined.argument(delta.partial_json)
}

const bedrockClaude: SdkClient = {
  name: '@aws-sdk/client-bedrock-runtime, InvokeModel',
  double: bedrockClaudeDouble,
  async stream(url) {
    const joined = new Joined()
    const command = new InvokeModelWithResponseStreamCommand({ modelId: 'anthropic.claude', body: JSON.stringify({ messages }) })
    for await (const { chunk } of (await bedrockAt(url).send(command)).body ?? []) {
      // Holds: the payload of a chunk is an event of Anthropic's.
      readAnthropic(joined, JSON.parse(new TextDecoder().decode(chunk?.bytes)) as Anthropic.MessageStreamEvent)
    }
    return joined.response
  },
  statusOf: bedrockStatus,
}

const anthropicAt = (baseURL: string) => new Anthropic({ apiKey: anthropicDouble.key, baseURL, maxRetries: 0 })
const anthropicAsk = {
  // The client warns of names that will end.
  model: 'claude-of-the-test',
  max_tokens: 100,
  messages,
  tools: [{ name: 'weather', input_schema: { type: 'object' as const } }],
}

const anthropic: SdkClient = {
  name: '@anthropic-ai/sdk',
  double: anthropicDouble,
  async ask(url) {
    const { content, usage } = await anthropicAt(url).messages.create(anthropicAsk)
    return {
      text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
      calls: content.flatMap((block) => (block.type === 'tool_use' ? [{ name: block.name, input: block.input }] : [])),
      prompt: usage.input_tokens,
      completion: usage.output_tokens,
    }
  },
  async stream(url) {
    const joined = new Joined()
    for await (const event of await anthropicAt(url).messages.create({ ...anthropicAsk, stream: true })) readAnthropic(joined, event)
    return joined.response
  },
  statusOf: (error) => (error instanceof Anthropic.APIError ? error.status : null),
}

const geminiAt = (baseUrl: string) => new GoogleGenAI({ apiKey: geminiDouble.key, httpOptions: { baseUrl, retryOptions: { attempts: 1 } } })
const geminiAsk = {
  model: geminiDouble.model,
  contents: 'Hi',
  config: { tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: city }] }] },
}

const gemini: SdkClient = {
  name: '@google/genai',
  double: geminiDouble,
  async ask(url) {
    const { candidates, functionCalls = [], usageMetadata } = await geminiAt(url).models.generateContent(geminiAsk)
    const parts = candidates?.[0]?.content?.parts ?? []
    return {
      text: parts.map(({ text = '', thought: reasoning }) => (reasoning === true ? '' : text)).join(''),
      reasoning: parts.map(({ text = '', thought: reasoning }) => (reasoning === true ? text : '')).join(''),
      calls: functionCalls.map(({ name = '', args }) => ({ name, input: args })),
      prompt: usageMetadata?.promptTokenCount,
      completion: (usageMetadata?.candidatesTokenCount ?? 0) + (usageMetadata?.thoughtsTokenCount ?? 0),
    }
  },
  async stream(url) {
    const joined = new Joined()
    for await (const { candidates, usageMetadata } of await geminiAt(url).models.generateContentStream(geminiAsk)) {
      for (const { text = '', thought: reasoning, functionCall } of candidates?.[0]?.content?.parts ?? []) {
        if (reasoning === true) joined.reasoning += text
        else joined.text += text
        if (functionCall !== undefined) joined.call(functionCall.name ?? '', JSON.stringify(functionCall.args))
      }
      joined.prompt = usageMetadata?.promptTokenCount
      joined.completion = (usageMetadata?.candidatesTokenCount ?? 0) + (usageMetadata?.thoughtsTokenCount ?? 0)
    }
    return joined.response
  },
  statusOf: (error) => (error instanceof ApiError ? error.status : null),
  async embed(url) {
    const { embeddings = [] } = await geminiAt(url).models.embedContent({ model: 'gemini-embedding-001', contents: 'Hi' })
    return embeddings[0]?.values
  },
}

const cohereAt = (environment: string) => new CohereClientV2({ token: cohereDouble.key, environment, maxRetries: 0 })
const cohereAsk = { model: cohereDouble.model, messages, tools: openaiTools }

const cohere: SdkClient = {
  name: 'cohere-ai',
  double: cohereDouble,
  sendsKey: true,
  async ask(url) {
    const { message, usage } = await cohereAt(url).chat(cohereAsk)
    const { content = [], toolCalls = [] } = message
    return {
      text: content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
      reasoning: content.map((part) => (part.type === 'thinking' ? part.thinking : '')).join(''),
      calls: toolCalls.map((call) => ({ name: call.function?.name ?? '', input: JSON.parse(call.function?.arguments ?? '') })),
      prompt: usage?.tokens?.inputTokens,
      completion: usage?.tokens?.outputTokens,
    }
  },
  async stream(url) {
    const joined = new Joined()
    for await (const event of await cohereAt(url).chatStream(cohereAsk)) {
      if (event.type === 'content-delta') {
        joined.text += event.delta?.message?.content?.text ?? ''
        joined.reasoning += event.delta?.message?.content?.thinking ?? ''
      }
      if (event.type === 'tool-call-start') joined.call(event.delta?.message?.toolCalls?.function?.name ?? '')
      if (event.type === 'tool-call-delta') joined.argument(event.delta?.message?.toolCalls?.function?.arguments ?? '')
      if (event.type === 'message-end') {
        joined.prompt = event.delta?.usage?.tokens?.inputTokens
        joined.completion = event.delta?.usage?.tokens?.outputTokens
      }
    }
    return joined.response
  },
  statusOf: (error) => (error instanceof CohereError ? error.statusCode : null),
  async embed(url) {
    const { embeddings } = await cohereAt(url).embed({
      model: 'embed-v4.0',
      texts: ['Hi'],
      inputType: 'search_document',
      embeddingTypes: ['float'],
    })
    return embeddings.float?.[0]
  },
}

const mistralAt = (serverURL: string) => new Mistral({ apiKey: mistralDouble.key, serverURL, retryConfig: { strategy: 'none' } })
const mistralAsk = { model: mistralDouble.model, messages, tools: openaiTools }

/** Content is a text, or parts. */
function readMistral(joined: Joined, content: unknown): void {
  const parts = Array.isArray(content) ? content : [{ type: 'text', text: content ?? '' }]
  for (const part of parts) {
    if (part.type === 'text') joined.text += part.text
    if (part.type === 'thinking') joined.reasoning += part.thinking.map(({ text }: { readonly text: string }) => text).join('')
  }
}

const asText = (input: unknown): string => (typeof input === 'string' ? input : JSON.stringify(input))

const mistral: SdkClient = {
  name: '@mistralai/mistralai',
  double: mistralDouble,
  sendsKey: true,
  async ask(url) {
    const joined = new Joined()
    const { choices, usage } = await mistralAt(url).chat.complete(mistralAsk)
    const { content, toolCalls } = choices[0]?.message ?? {}
    readMistral(joined, content)
    for (const call of toolCalls ?? []) joined.call(call.function.name, asText(call.function.arguments))
    return { ...joined.response, prompt: usage.promptTokens, completion: usage.completionTokens }
  },
  async stream(url) {
    const joined = new Joined()
    for await (const { data } of await mistralAt(url).chat.stream(mistralAsk)) {
      const { content, toolCalls } = data.choices[0]?.delta ?? {}
      readMistral(joined, content)
      for (const call of toolCalls ?? []) joined.call(call.function.name, asText(call.function.arguments))
      joined.prompt = data.usage?.promptTokens ?? joined.prompt
      joined.completion = data.usage?.completionTokens ?? joined.completion
    }
    return joined.response
  },
  statusOf: (error) => (error instanceof MistralError ? error.statusCode : null),
  async embed(url) {
    const { data } = await mistralAt(url).embeddings.create({ model: 'mistral-embed', inputs: ['Hi'] })
    return data[0]?.embedding
  },
}

const ollamaAt = (host: string) => new Ollama({ host })
const ollamaAsk = { model: ollamaDouble.model, messages, tools: [{ type: 'function', function: { name: 'weather', parameters: city } }] }

const ollama: SdkClient = {
  name: 'ollama',
  double: ollamaDouble,
  async ask(url) {
    const { message, prompt_eval_count: prompt, eval_count: completion } = await ollamaAt(url).chat(ollamaAsk)
    const calls = (message.tool_calls ?? []).map((call) => ({ name: call.function.name, input: call.function.arguments }))
    return { text: message.content, reasoning: message.thinking ?? '', calls, prompt, completion }
  },
  async stream(url) {
    const joined = new Joined()
    for await (const { message, prompt_eval_count: prompt, eval_count: completion } of await ollamaAt(url).chat({
      ...ollamaAsk,
      stream: true,
    })) {
      joined.text += message.content
      joined.reasoning += message.thinking ?? ''
      for (const call of message.tool_calls ?? []) joined.call(call.function.name, JSON.stringify(call.function.arguments))
      joined.prompt = prompt
      joined.completion = completion
    }
    return joined.response
  },
  statusOf: (error) =>
    error instanceof Error && 'status_code' in error && typeof error.status_code === 'number' ? error.status_code : null,
  embed: async (url) => (await ollamaAt(url).embed({ model: 'nomic-embed-text', input: 'Hi' })).embeddings[0],
}

export const sdkClients: readonly SdkClient[] = [bedrock, bedrockClaude, anthropic, gemini, cohere, mistral, ollama]
