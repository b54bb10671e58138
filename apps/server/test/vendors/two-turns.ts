import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI, type Part } from '@google/genai'
import OpenAI from 'openai'

// Clients of each protocol that ask, and send the whole response back with the results of its calls, as their libraries do.

/** What a tool gave. */
export interface ToolResult {
  readonly text: string
  /** Base64 of a PNG. */
  readonly imageData?: string
}

export interface Talk {
  readonly url: string
  readonly key: string
  readonly model: string
  readonly question: string
  readonly tools: readonly string[]
  /** The result of each call of the response, by its place. */
  readonly resultOf: (place: number) => ToolResult
  /** The user says this with the results, whose order is then the reverse. */
  readonly also?: string
  readonly between?: () => Promise<void>
}

export interface TalkingClient {
  readonly name: string
  /** Asks for its first response as a stream. */
  readonly isStreamed: boolean
  /** Whether the vendors of OpenAI's protocol are called through the Responses API. */
  readonly asksForResponses: boolean
  /** @returns the text of the second response */
  readonly talk: (talk: Talk) => Promise<string>
}

const schema = { type: 'object', properties: { city: { type: 'string' } } }
const addressOf = (imageData: string): string => `data:image/png;base64,${imageData}`

/** The results of these calls, in the order in which the client sends them. */
function resultsOf<T extends { readonly id?: string | undefined }>(
  calls: readonly T[],
  { resultOf, also }: Talk,
): ReadonlyArray<ToolResult & { readonly call: T }> {
  const results = calls.map((call, place) => ({ call, ...resultOf(place) }))
  // Results of calls that have no ids keep the order of the calls.
  return also === undefined || calls.some(({ id }) => id === undefined) ? results : results.toReversed()
}

async function talkInChats(talk: Talk): Promise<string> {
  const { url, key, model, question, tools, also } = talk
  const client = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 })
  const ask = {
    model,
    max_tokens: 4_000,
    tools: tools.map((name) => ({ type: 'function' as const, function: { name, parameters: schema } })),
  }
  const firstTurn = [{ role: 'user' as const, content: question }]
  const { choices } = await client.chat.completions.create({ ...ask, reasoning_effort: 'low', messages: firstTurn })
  const message = choices[0]?.message
  if (message === undefined) throw new Error('no answer')
  await talk.between?.()
  const results = resultsOf(message.tool_calls ?? [], talk).map(({ call, text, imageData }) => {
    const parts = imageData === undefined ? [] : [{ type: 'image_url' as const, image_url: { url: addressOf(imageData) } }]
    // Holds: clients send images in results of tools, although the library's type has only texts.
    const content = (parts.length === 0 ? text : [{ type: 'text' as const, text }, ...parts]) as string
    return { role: 'tool' as const, tool_call_id: call.id, content }
  })
  const followUp = also === undefined ? [] : [{ role: 'user' as const, content: also }]
  const next = await client.chat.completions.create({ ...ask, messages: [...firstTurn, message, ...results, ...followUp] })
  return next.choices[0]?.message.content ?? ''
}

async function talkInMessages(talk: Talk): Promise<string> {
  const { url, key, model, question, tools, also } = talk
  const client = new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 })
  const ask = {
    ...{ model, max_tokens: 4_000, thinking: { type: 'enabled' as const, budget_tokens: 2_048 } },
    tools: tools.map((name) => ({ name, input_schema: { ...schema, type: 'object' as const } })),
  }
  const firstTurn = [{ role: 'user' as const, content: question }]
  const { content } = await client.messages.stream({ ...ask, messages: firstTurn }).finalMessage()
  await talk.between?.()
  const calls = content.filter((block) => block.type === 'tool_use')
  const results = resultsOf(calls, talk).map(({ call, text, imageData }) => {
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: imageData ?? '' }
    const parts = imageData === undefined ? [] : [{ type: 'image' as const, source }]
    const resultContent = parts.length === 0 ? text : [{ type: 'text' as const, text }, ...parts]
    return { type: 'tool_result' as const, tool_use_id: call.id, ...(resultContent === '' ? {} : { content: resultContent }) }
  })
  const followUp = also === undefined ? [] : [{ type: 'text' as const, text: also }]
  const next = await client.messages.create({
    ...ask,
    messages: [...firstTurn, { role: 'assistant', content }, { role: 'user', content: [...results, ...followUp] }],
  })
  return next.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

async function talkInContents(talk: Talk): Promise<string> {
  const { url, key, model, question, tools, also } = talk
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } })
  const config = {
    maxOutputTokens: 4_000,
    tools: [{ functionDeclarations: tools.map((name) => ({ name, parametersJsonSchema: schema })) }],
    thinkingConfig: { thinkingBudget: 2_048 },
  }
  const firstTurn = { role: 'user', parts: [{ text: question }] }
  const parts: Part[] = []
  for await (const { candidates } of await client.models.generateContentStream({ model, contents: [firstTurn], config }))
    parts.push(...(candidates?.[0]?.content?.parts ?? []))
  await talk.between?.()
  const calls = parts.flatMap(({ functionCall: call }) => (call === undefined ? [] : [call]))
  const results = resultsOf(calls, talk).map(({ call, text, imageData }) => {
    const inside = imageData === undefined ? {} : { parts: [{ inlineData: { mimeType: 'image/png', data: imageData } }] }
    const id = call.id === undefined ? {} : { id: call.id }
    return { functionResponse: { ...id, name: call.name ?? '', response: { output: text }, ...inside } }
  })
  const followUp = also === undefined ? [] : [{ text: also }]
  const contents = [firstTurn, { role: 'model', parts }, { role: 'user', parts: [...results, ...followUp] }]
  return (await client.models.generateContent({ model, contents, config })).text ?? ''
}

const inResponses = ({ model, tools }: Talk) => ({
  ...{ model, max_output_tokens: 4_000, reasoning: { effort: 'low' as const } },
  tools: tools.map((name) => ({ type: 'function' as const, name, parameters: schema, strict: false })),
})

function itemsAfter(output: readonly OpenAI.Responses.ResponseOutputItem[], talk: Talk): readonly OpenAI.Responses.ResponseInputItem[] {
  const calls = output.filter((item) => item.type === 'function_call')
  const results = resultsOf(calls, talk).map(({ call, text, imageData }) => {
    const image = { type: 'input_image' as const, detail: 'auto' as const, image_url: addressOf(imageData ?? '') }
    const resultContent = imageData === undefined ? text : [{ type: 'input_text' as const, text }, image]
    return { type: 'function_call_output' as const, call_id: call.call_id, output: resultContent }
  })
  return [...results, ...(talk.also === undefined ? [] : [{ role: 'user' as const, content: talk.also }])]
}

async function talkInResponses(talk: Talk): Promise<string> {
  const client = new OpenAI({ apiKey: talk.key, baseURL: `${talk.url}/v1`, maxRetries: 0 })
  const ask = { ...inResponses(talk), store: false, include: ['reasoning.encrypted_content' as const] }
  const firstTurn = [{ role: 'user' as const, content: talk.question }]
  const { output } = await client.responses.stream({ ...ask, input: firstTurn }).finalResponse()
  await talk.between?.()
  // Holds: items of an output may be sent back as they are.
  const outputItems = output as OpenAI.Responses.ResponseInputItem[]
  return (await client.responses.create({ ...ask, input: [...firstTurn, ...outputItems, ...itemsAfter(output, talk)] })).output_text
}

/** Asks with the id of the response before, which the gateway stores. */
async function followResponses(talk: Talk): Promise<string> {
  const client = new OpenAI({ apiKey: talk.key, baseURL: `${talk.url}/v1`, maxRetries: 0 })
  const { id, output } = await client.responses.create({ ...inResponses(talk), input: talk.question })
  await talk.between?.()
  const next = await client.responses.create({ ...inResponses(talk), input: [...itemsAfter(output, talk)], previous_response_id: id })
  return next.output_text
}

export const talkingClients: readonly TalkingClient[] = [
  { name: 'OpenAI’s chats', isStreamed: false, asksForResponses: false, talk: talkInChats },
  { name: 'Anthropic’s messages', isStreamed: true, asksForResponses: false, talk: talkInMessages },
  { name: 'Google’s contents', isStreamed: true, asksForResponses: false, talk: talkInContents },
  { name: 'OpenAI’s responses', isStreamed: true, asksForResponses: true, talk: talkInResponses },
  { name: 'OpenAI’s responses that follow one another', isStreamed: false, asksForResponses: true, talk: followResponses },
]
