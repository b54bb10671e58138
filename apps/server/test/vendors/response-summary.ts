import { type ClientStream, chats, generated, messages, responses } from '../client-streams.ts'

// What a client of each protocol has of a response, whole or as events: the text, the calls of tools and how it ends.

export interface ResponseSummary {
  readonly text: string
  readonly calls: ReadonlyArray<{ readonly id: string; readonly name: string; readonly input: unknown }>
  /** In the words of the protocol. */
  readonly end: unknown
}

type Data = Readonly<Record<string, unknown>>

// Holds: what is no object has no members, and what is compared with them fails the test.
const member = (data: unknown, name: string): Data | undefined => (data as Data | undefined)?.[name] as Data | undefined
// Holds: as above; only lists are read with it.
const list = (data: unknown, name: string): readonly Data[] => (member(data, name) ?? []) as readonly Data[]
const text = (values: readonly unknown[]): string => values.filter((value) => typeof value === 'string').join('')

const eventsIn = (received: string): readonly Data[] =>
  received
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    // Holds: every such line is an object.
    .map((line) => JSON.parse(line.slice('data: '.length)) as Data)

interface OpenCall {
  id: string
  name: string
  input: string
}

const closed = (calls: Iterable<OpenCall>) => [...calls].map(({ id, name, input }) => ({ id, name, input: JSON.parse(input) as unknown }))

function chat(parts: readonly Data[]): ResponseSummary {
  const choices = parts.flatMap((part) => list(part, 'choices'))
  const written = choices.map((choice) => member(choice, 'delta') ?? member(choice, 'message'))
  const calls = new Map<unknown, OpenCall>()
  for (const { index, id, function: called } of written.flatMap((delta) =>
    list(delta, 'tool_calls').map((call, at): Data => ({ index: at, ...call })),
  )) {
    const call = calls.get(index) ?? { id: '', name: '', input: '' }
    calls.set(index, call)
    call.id += text([id])
    call.name += text([member(called, 'name')])
    call.input += text([member(called, 'arguments')])
  }
  return {
    text: text(written.map((delta) => delta?.['content'])),
    calls: closed(calls.values()),
    end: choices.map(({ finish_reason: reason }) => reason).findLast((reason) => typeof reason === 'string'),
  }
}

const callOf = ({ id, name, input }: Data) => ({ id: text([id]), name: text([name]), input })

function message(events: readonly Data[]): ResponseSummary {
  const blocks = new Map<unknown, { readonly begun: Data; json: string; text: string }>()
  for (const { index, content_block: begun, delta } of events) {
    // Holds: a block that begins is an object.
    if (begun !== undefined) blocks.set(index, { begun: begun as Data, json: '', text: text([member(begun, 'text')]) })
    const block = blocks.get(index)
    if (block === undefined) continue
    block.json += text([member(delta, 'partial_json')])
    block.text += text([member(delta, 'text')])
  }
  const content = [...blocks.values()].map(({ begun, json, text: grown }) => ({
    ...begun,
    text: grown,
    ...(json === '' ? {} : { input: JSON.parse(json) as unknown }),
  }))
  return wholeMessage({
    content,
    stop_reason: events.map(({ delta }) => member(delta, 'stop_reason')).findLast((reason) => reason != null),
  })
}

function wholeMessage(body: Data): ResponseSummary {
  const uses = list(body, 'content').filter(({ type }) => type === 'tool_use')
  const texts = list(body, 'content').filter(({ type }) => type === 'text')
  return { text: text(texts.map((block) => block['text'])), calls: uses.map(callOf), end: body['stop_reason'] }
}

function response(body: Data | undefined): ResponseSummary {
  const output = list(body, 'output')
  return {
    text: text(output.filter(({ type }) => type === 'message').flatMap((item) => list(item, 'content').map((part) => part['text']))),
    calls: output
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id: id, name, arguments: input }) => callOf({ id, name, input: JSON.parse(text([input])) as unknown })),
    end: body?.['status'],
  }
}

function generatedResponse(responses: readonly Data[]): ResponseSummary {
  const candidates = responses.flatMap((body) => list(body, 'candidates'))
  const parts = candidates
    .flatMap((candidate) => list(member(candidate, 'content'), 'parts'))
    .filter(({ thought: reasoning }) => reasoning !== true)
  return {
    text: text(parts.map((part) => part['text'])),
    calls: parts.flatMap(({ functionCall: call }) =>
      call === undefined ? [] : [callOf({ id: member(call, 'id'), name: member(call, 'name'), input: member(call, 'args') ?? {} })],
    ),
    end: candidates.map(({ finishReason }) => finishReason).findLast((reason) => typeof reason === 'string'),
  }
}

/** @throws Error if arguments are no JSON */
export function responseSummary(client: ClientStream, received: string): ResponseSummary {
  const isWhole = received.startsWith('{')
  // Holds: every whole response is an object.
  const all = isWhole ? [JSON.parse(received) as Data] : eventsIn(received)
  switch (client) {
    case chats:
      return chat(all)
    case messages:
      return isWhole ? wholeMessage(all[0] ?? {}) : message(all)
    case responses:
      return response(isWhole ? all[0] : member(all.at(-1), 'response'))
    case generated:
      return generatedResponse(all)
    default:
      throw new Error(`no reader for ${client.name}`)
  }
}
