import { type ClientStream, chats, messages, responses } from '../client-streams.ts'

// The calls of functions in a response, whole or as a stream, as the clients of each protocol read them.

export type Call = Pick<ClientStream, 'name' | 'pathOf' | 'bodyOf'>

export interface ReadCall {
  readonly id: string
  readonly name: string
  /** What its arguments are as JSON; the text itself if they are none. */
  readonly input: unknown
}

type Data = Readonly<Record<string, unknown>>

// Holds: what is missing is undefined, and what is compared with it fails the test.
const inside = (data: Data | undefined, ...names: readonly string[]): Data | undefined =>
  names.reduce<Data | undefined>((at, name) => at?.[name] as Data | undefined, data)
// Holds: as above; only lists are read with it.
const list = (data: Data | undefined, name: string): readonly Data[] => (data?.[name] ?? []) as readonly Data[]
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function parsed(input: string): unknown {
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}

const dataIn = (received: string): readonly Data[] =>
  (received.startsWith('{')
    ? [received]
    : received.split('\n').flatMap((line) => (line.startsWith('data: {') ? [line.slice('data: '.length)] : []))
  ).map(
    // Holds: responses and their events are objects.
    (data) => JSON.parse(data) as Data,
  )

/** As OpenAI's and Anthropic's libraries join them: ids, names and arguments grow. */
class Joined {
  readonly #calls = new Map<unknown, { id: string; name: string; input: string }>()

  add(index: unknown, { id, name, input }: { readonly id?: unknown; readonly name?: unknown; readonly input?: unknown }): void {
    const call = this.#calls.get(index) ?? { id: '', name: '', input: '' }
    this.#calls.set(index, { id: call.id + text(id), name: call.name + text(name), input: call.input + text(input) })
  }

  get calls(): readonly ReadCall[] {
    return [...this.#calls.values()].map(({ id, name, input }) => ({ id, name, input: parsed(input) }))
  }
}

function inChats(data: readonly Data[]): readonly ReadCall[] {
  const joined = new Joined()
  for (const choice of data.flatMap((one) => list(one, 'choices'))) {
    for (const [place, call] of list(inside(choice, 'delta') ?? inside(choice, 'message'), 'tool_calls').entries()) {
      const { name, arguments: input } = inside(call, 'function') ?? {}
      joined.add(call['index'] ?? place, { id: call['id'], name, input })
    }
  }
  return joined.calls
}

function inMessages(data: readonly Data[]): readonly ReadCall[] {
  const joined = new Joined()
  for (const [place, block] of list(data[0], 'content').entries())
    if (block['type'] === 'tool_use') joined.add(place, { ...block, input: JSON.stringify(block['input']) })
  for (const { index, content_block: block, delta } of data) {
    // Holds: Anthropic's events have these members.
    const [opened, added] = [block as Data | undefined, delta as Data | undefined]
    if (opened?.['type'] === 'tool_use') joined.add(index, { id: opened['id'], name: opened['name'] })
    if (added?.['type'] === 'input_json_delta') joined.add(index, { input: added['partial_json'] })
  }
  return joined.calls
}

function inResponses(data: readonly Data[]): readonly ReadCall[] {
  const output = list(inside(data.at(-1), 'response') ?? data.at(-1), 'output')
  const calls = output.filter(({ type }) => type === 'function_call')
  return calls.map((call) => ({ id: text(call['call_id']), name: text(call['name']), input: parsed(text(call['arguments'])) }))
}

function inCandidates(data: readonly Data[]): readonly ReadCall[] {
  const parts = data.flatMap((one) => list(one, 'candidates')).flatMap((candidate) => list(inside(candidate, 'content'), 'parts'))
  return parts.flatMap((part) => {
    const call = inside(part, 'functionCall')
    return call === undefined ? [] : [{ id: text(call['id']), name: text(call['name']), input: call['args'] }]
  })
}

export function callsIn({ name }: Call, received: string): readonly ReadCall[] {
  const data = dataIn(received)
  if (name === chats.name) return inChats(data)
  if (name === messages.name) return inMessages(data)
  return name === responses.name ? inResponses(data) : inCandidates(data)
}
