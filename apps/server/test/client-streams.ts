import { wireEvents } from '../../../packages/vendors/test/message-grammar.ts'

// Streams of responses as clients of each protocol request and read them.

export interface StreamRequest {
  readonly model: string
  readonly content: string
  readonly limit?: number
}

export interface ClientStream {
  readonly name: string
  readonly pathOf: (model: string) => string
  readonly bodyOf: (request: StreamRequest) => object
  /** What the relay sends while it has nothing else to send. */
  readonly beat: string
  /** How the client reads what it received. @throws Error where its library would throw, except for the errors that the protocol defines */
  readonly read: (received: string) => StreamRead
}

export interface StreamRead {
  readonly text: string
  /** Each error in the stream, by its type in the protocol. */
  readonly errors: readonly string[]
  /** The response ends as complete ones do. */
  readonly isEnded: boolean
}

type Data = Readonly<Record<string, unknown>>

// Holds: a member that is missing is undefined, and what is compared with it fails the test.
const member = (data: Data | undefined, name: string): Data | undefined => data?.[name] as Data | undefined
// Holds: as above; only lists are read with it.
const list = (data: Data | undefined, name: string): readonly Data[] => (data?.[name] ?? []) as readonly Data[]
const texts = (values: readonly unknown[]): string => values.filter((value) => typeof value === 'string').join('')

/** The data of server-sent events, without comments. @throws Error if the last event is cut off */
function dataIn(received: string): readonly string[] {
  if (received !== '' && !received.endsWith('\n\n')) throw new Error('the last event is cut off')
  return received
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length))
}

function readChat(received: string): StreamRead {
  const data = dataIn(received)
  // Holds: every event but the terminator is an object.
  const events = data.filter((one) => one !== '[DONE]').map((one) => JSON.parse(one) as Data)
  return {
    text: texts(events.flatMap((event) => list(event, 'choices').map((choice) => member(choice, 'delta')?.['content']))),
    errors: events.flatMap(({ error }) => (error === undefined ? [] : [String(member({ error }, 'error')?.['code'])])),
    isEnded: data.at(-1) === '[DONE]',
  }
}

function readMessages(received: string): StreamRead {
  const events = wireEvents(received)
  const errorEvents = events.filter(({ name }) => name === 'error')
  return {
    text: texts(events.filter(({ name }) => name === 'content_block_delta').map(({ data }) => member(data, 'delta')?.['text'])),
    errors: errorEvents.map(({ data }) => String(member(data, 'error')?.['type'])),
    isEnded: events.at(-1)?.name === 'message_stop',
  }
}

function readEvents(received: string): StreamRead {
  // Holds: every event is an object.
  const events = dataIn(received.replaceAll(/^event: .*\n/gm, '')).map((data) => JSON.parse(data) as Data)
  return {
    text: texts(events.filter(({ type }) => type === 'response.output_text.delta').map(({ delta }) => delta)),
    errors: events.filter(({ type }) => type === 'error').map(({ code }) => String(code)),
    isEnded: events.at(-1)?.['type'] === 'response.completed',
  }
}

function readResponses(responses: readonly Data[]): StreamRead {
  const candidates = responses.flatMap((response) => list(response, 'candidates'))
  const parts = candidates.flatMap((candidate) => list(member(candidate, 'content'), 'parts'))
  return {
    text: texts(parts.map(({ text }) => text)),
    errors: responses.flatMap(({ error }) => (error === undefined ? [] : [String(member({ error }, 'error')?.['status'])])),
    isEnded: member(responses.at(-1), 'error') === undefined && candidates.at(-1)?.['finishReason'] !== undefined,
  }
}

// Holds: the items of both forms are responses of the protocol, or errors.
const readGenerated = (received: string) => readResponses(dataIn(received).map((data) => JSON.parse(data) as Data))
// Holds: as above.
const readArray = (received: string) => readResponses(JSON.parse(received) as readonly Data[])

const chatBody = ({ model, content, limit = 1_000 }: StreamRequest) => ({
  ...{ model, max_tokens: limit, stream: true },
  messages: [{ role: 'user', content }],
})
const generateBody = ({ content, limit = 1_000 }: StreamRequest) => ({
  contents: [{ role: 'user', parts: [{ text: content }] }],
  generationConfig: { maxOutputTokens: limit },
})

export const chats: ClientStream = {
  ...{ name: 'OpenAI', pathOf: () => '/v1/chat/completions', bodyOf: chatBody },
  ...{ beat: ': keep-alive\n\n', read: readChat },
}
export const messages: ClientStream = {
  ...{ name: 'Anthropic', pathOf: () => '/v1/messages', bodyOf: chatBody },
  ...{ beat: 'event: ping\ndata: {"type": "ping"}\n\n', read: readMessages },
}
export const generated: ClientStream = {
  name: 'Google, as events',
  pathOf: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
  ...{ bodyOf: generateBody, beat: ': keep-alive\n\n', read: readGenerated },
}
export const generatedArray: ClientStream = {
  name: 'Google, as an array',
  pathOf: (model) => `/v1beta/models/${model}:streamGenerateContent`,
  ...{ bodyOf: generateBody, beat: '\n', read: readArray },
}
export const responses: ClientStream = {
  ...{ name: 'OpenAI, responses', pathOf: () => '/v1/responses', beat: ': keep-alive\n\n', read: readEvents },
  bodyOf: ({ model, content, limit = 1_000 }) => ({ model, max_output_tokens: limit, stream: true, input: content }),
}
