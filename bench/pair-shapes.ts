// Requests as agents and small programs send them, in the protocol of each client.

export interface PairShape {
  readonly name: string
  readonly path: string
  readonly body: object
  readonly isStream: boolean
  readonly requests: number
  readonly connections: number
  /** What the end of each complete response has. */
  readonly end: string
}

/** A server of OpenAI's form, Claude and Gemini: the number of the channel's type, and the model. */
export const pairModels = [
  { name: "OpenAI's form", type: 8, model: 'own-model' },
  { name: 'Claude', type: 14, model: 'claude-haiku-4-5' },
  { name: 'Gemini', type: 24, model: 'gemini-2.5-flash' },
] as const

interface Client {
  readonly name: string
  /** Which the end of each complete stream has. */
  readonly streamEnd: string
  path(model: string, isStream: boolean): string
  short(model: string): object
  agent(model: string): object
}

const words = 'The file has a function that reads each entry and sums the sizes of those that are not ignored. '.repeat(6)
const instructions = words.repeat(10)
const question = [{ role: 'user', content: 'Hi' }]
const turns = Array.from({ length: 60 }, (_turn, index) => index)

const schema = {
  type: 'object',
  properties: Object.fromEntries(
    ['path', 'text', 'mode', 'start', 'end', 'note'].map((name) => [
      name,
      { type: 'string', description: 'The value of this parameter, as the tool takes it in a request.' },
    ]),
  ),
  required: ['path'],
}
const toolName = (index: number): string => `tool_number_${index % 40}`
/** Forty tools, each in the form of the client. */
const tools = (form: (name: string, description: string) => object): readonly object[] =>
  Array.from({ length: 40 }, (_tool, index) => form(toolName(index), 'Does something useful with files of the project. '.repeat(6)))
const argumentsOf = (index: number): object => ({ path: `src/file${index}.ts`, text: 'x' })

const chats: Client = {
  name: 'chat',
  streamEnd: '[DONE]',
  path: () => '/v1/chat/completions',
  short: (model) => ({ model, max_tokens: 500, messages: question }),
  agent: (model) => ({
    model,
    messages: [
      { role: 'system', content: instructions },
      ...turns.flatMap((index) => [
        { role: 'user', content: words },
        {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [
            {
              id: `call_${index}`,
              type: 'function',
              function: { name: toolName(index), arguments: JSON.stringify(argumentsOf(index)) },
            },
          ],
        },
        { role: 'tool', tool_call_id: `call_${index}`, content: words },
      ]),
    ],
    tools: tools((name, description) => ({ type: 'function', function: { name, description, parameters: schema } })),
  }),
}

const responses: Client = {
  name: 'responses',
  streamEnd: 'response.completed',
  path: () => '/v1/responses',
  short: (model) => ({ model, input: 'Hi', store: false }),
  agent: (model) => ({
    model,
    store: false,
    instructions,
    input: turns.flatMap((index) => [
      { role: 'user', content: [{ type: 'input_text', text: words }] },
      { type: 'function_call', call_id: `call_${index}`, name: toolName(index), arguments: JSON.stringify(argumentsOf(index)) },
      { type: 'function_call_output', call_id: `call_${index}`, output: words },
    ]),
    tools: tools((name, description) => ({ type: 'function', name, description, parameters: schema })),
  }),
}

const messages: Client = {
  name: 'messages',
  streamEnd: 'message_stop',
  path: () => '/v1/messages',
  short: (model) => ({ model, max_tokens: 500, messages: question }),
  agent: (model) => ({
    model,
    max_tokens: 1_000,
    system: [{ type: 'text', text: instructions }],
    messages: turns.flatMap((index) => [
      {
        role: 'user',
        content: [
          ...(index === 0 ? [] : [{ type: 'tool_result', tool_use_id: `call_${index - 1}`, content: words }]),
          { type: 'text', text: words },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          ...(index === turns.length - 1
            ? []
            : [{ type: 'tool_use', id: `call_${index}`, name: toolName(index), input: argumentsOf(index) }]),
        ],
      },
      ...(index === turns.length - 1 ? [{ role: 'user', content: words }] : []),
    ]),
    tools: tools((name, description) => ({ name, description, input_schema: schema })),
  }),
}

const contents: Client = {
  name: 'generateContent',
  streamEnd: '"STOP"',
  path: (model, isStream) => `/v1beta/models/${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  short: () => ({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }),
  agent: () => ({
    systemInstruction: { parts: [{ text: instructions }] },
    contents: [
      ...turns.flatMap((index) => [
        {
          role: 'user',
          parts: [
            ...(index === 0 ? [] : [{ functionResponse: { name: toolName(index - 1), response: { result: words } } }]),
            { text: words },
          ],
        },
        {
          role: 'model',
          parts: [
            { text: 'I look.' },
            ...(index === turns.length - 1 ? [] : [{ functionCall: { name: toolName(index), args: argumentsOf(index) } }]),
          ],
        },
      ]),
      { role: 'user', parts: [{ text: words }] },
    ],
    tools: [{ functionDeclarations: tools((name, description) => ({ name, description, parameters: schema })) }],
  }),
}

/** A short request, one of an agent of about 100 KB, and a stream, of each client to each vendor. */
export function pairShapes(): readonly PairShape[] {
  return [chats, responses, messages, contents].flatMap((client) =>
    pairModels.flatMap(({ name, model }): readonly PairShape[] => {
      const short = client.short(model)
      const to = `${client.name} to ${name}`
      const whole = { path: client.path(model, false), isStream: false, connections: 16, end: '' }
      return [
        { name: `${to}, short`, body: short, requests: 600, ...whole },
        { name: `${to}, agent`, body: client.agent(model), requests: 60, ...whole },
        {
          name: `${to}, chunk`,
          path: client.path(model, true),
          body: client.name === 'generateContent' ? short : { ...short, stream: true },
          isStream: true,
          requests: 40,
          connections: 40,
          end: client.streamEnd,
        },
      ]
    }),
  )
}
