import { brokenRules } from '../../../../packages/vendors/test/anthropic-rules.ts'

// A conversation as each vendor reads it, from the body of a request.

/** What a turn is made of. */
export type Piece =
  | { readonly kind: 'user'; readonly text: string; readonly images: readonly string[] }
  | { readonly kind: 'model'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly kind: 'result'; readonly id: string; readonly text: string; readonly images: readonly string[] }

export interface UpstreamTurns {
  readonly pieces: readonly Piece[]
  /** What the vendor would refuse, beside what is wrong in the order of the pieces. */
  readonly faults: readonly string[]
}

export type Wire = (body: Data) => UpstreamTurns

export type Data = { readonly [name: string]: unknown }

// Holds: a member that is missing is undefined, and what is compared with it fails the test.
const list = (data: Data, name: string): readonly Data[] => (data[name] ?? []) as readonly Data[]
// Holds: as above.
const member = (data: Data, name: string): Data => (data[name] ?? {}) as Data
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const base64In = (address: unknown): readonly string[] => text(address).split('base64,').slice(1)

/** Content that is a text, or a list of parts. */
const partsOf = (content: unknown): readonly Data[] =>
  // Holds: as above.
  typeof content === 'string' ? [{ type: 'text', text: content }] : ((content ?? []) as readonly Data[])
const textOf = (content: unknown): string =>
  partsOf(content)
    .map((part) => text(part['text']))
    .join('')
const spoken = (kind: 'user' | 'model', value: string, images: readonly string[] = []): readonly Piece[] => {
  if (value === '' && images.length === 0) return []
  return [kind === 'user' ? { kind, text: value, images: images } : { kind, text: value }]
}

/** Messages, one of which responds to each call. */
function byMessages(messages: readonly Data[], allowsParts: boolean): UpstreamTurns {
  const faults: string[] = []
  const pieces = messages.flatMap((message): readonly Piece[] => {
    const { role, content } = message
    const images = partsOf(content).flatMap((part) => base64In(member(part, 'image_url')['url']))
    if (role === 'tool') {
      if (typeof content !== 'string' && !(allowsParts && images.length === 0)) faults.push('a result is no text')
      return [{ kind: 'result', id: text(message['tool_call_id']), text: textOf(content), images: images }]
    }
    if (role === 'user') return spoken('user', textOf(content), images)
    if (role !== 'assistant') return []
    const plan = text(message['tool_plan'])
    const calls = list(message, 'tool_calls').map((call): Piece => {
      const { name, arguments: input } = member(call, 'function')
      return { kind: 'call', id: text(call['id']), name: text(name), input: JSON.parse(text(input)) }
    })
    return [...spoken('model', textOf(content) + plan), ...calls]
  })
  return { pieces, faults }
}

/** OpenAI's chats. */
export const chatWire: Wire = (body) => byMessages(list(body, 'messages'), true)

/** Mistral's: a user does not speak right after a result. */
export const mistralWire: Wire = (body) => {
  const roles = list(body, 'messages').map(({ role }) => role)
  const isBroken = roles.some((role, index) => role === 'user' && roles[index - 1] === 'tool')
  const { pieces, faults } = chatWire(body)
  return { pieces, faults: isBroken ? [...faults, 'the user speaks right after a result'] : faults }
}

/** Cohere's second interface: the text before calls is a plan. */
export const cohereWire: Wire = (body) => byMessages(list(body, 'messages'), false)

/** OpenAI's responses. */
export const responseWire: Wire = (body) => ({
  faults: [],
  pieces: list(body, 'input').flatMap((item): readonly Piece[] => {
    const { type, role, content, output } = item
    const id = text(item['call_id'])
    const imagesIn = (value: unknown) => partsOf(value).flatMap((part) => base64In(part['image_url']))
    if (type === 'function_call') return [{ kind: 'call', id, name: text(item['name']), input: JSON.parse(text(item['arguments'])) }]
    if (type === 'function_call_output') return [{ kind: 'result', id, text: textOf(output), images: imagesIn(output) }]
    if (role === 'user') return spoken('user', textOf(content), imagesIn(content))
    return role === 'assistant' ? spoken('model', textOf(content)) : []
  }),
})

/** What each block says, in turns that alternate. */
function byBlocks(turns: readonly Data[], blocksOf: (turn: Data) => readonly Piece[]): readonly Piece[] {
  return turns.flatMap(blocksOf)
}

function alternate(roles: readonly unknown[], model: string): readonly string[] {
  const wrong = roles.findIndex((role, index) => role !== (index % 2 === 0 ? 'user' : model))
  return wrong === -1 ? [] : [`turn ${wrong} is not whose turn it is`]
}

const imageIn = (block: Data): readonly string[] => (block['type'] === 'image' ? [text(member(block, 'source')['data'])] : [])

/** Anthropic's messages; other services name the model elsewhere, and the version in the body. */
export const messageWire: Wire = ({ anthropic_version: _version, anthropic_beta: _beta, ...body }) => ({
  // Holds: the body is JSON.
  faults: brokenRules(body as Parameters<typeof brokenRules>[0]),
  pieces: byBlocks(list(body, 'messages'), ({ role, content }) =>
    partsOf(content).flatMap((block): readonly Piece[] => {
      const { type, id, name, input, tool_use_id: of, content: inner } = block
      if (type === 'tool_use') return [{ kind: 'call', id: text(id), name: text(name), input }]
      if (type === 'tool_result') return [{ kind: 'result', id: text(of), text: textOf(inner), images: partsOf(inner).flatMap(imageIn) }]
      return role === 'assistant' ? spoken('model', text(block['text'])) : spoken('user', text(block['text']), imageIn(block))
    }),
  ),
})

/** Bedrock's Converse. */
export const converseWire: Wire = (body) => {
  const messages = list(body, 'messages')
  const imageOf = (block: Data): readonly string[] =>
    block['image'] === undefined ? [] : [text(member(member(block, 'image'), 'source')['bytes'])]
  const blocks = messages.flatMap((message) => list(message, 'content'))
  const inner = blocks.flatMap((block) => list(member(block, 'toolResult'), 'content'))
  const isBlank = (block: Data): boolean => typeof block['text'] === 'string' && block['text'].trim() === ''
  return {
    faults: [
      ...alternate(
        messages.map(({ role }) => role),
        'assistant',
      ),
      ...(messages.every((message) => list(message, 'content').length > 0) ? [] : ['a message is empty']),
      ...([...blocks, ...inner].some(isBlank) ? ['a text is blank'] : []),
    ],
    pieces: byBlocks(messages, (message) =>
      list(message, 'content').flatMap((block): readonly Piece[] => {
        const { toolUse: use, toolResult: result } = block
        const { toolUseId: id, name, input } = member(block, 'toolUse')
        if (use !== undefined) return [{ kind: 'call', id: text(id), name: text(name), input }]
        const { toolUseId: of, content } = member(block, 'toolResult')
        if (result !== undefined)
          return [{ kind: 'result', id: text(of), text: textOf(content), images: partsOf(content).flatMap(imageOf) }]
        return message['role'] === 'assistant' ? spoken('model', text(block['text'])) : spoken('user', text(block['text']), imageOf(block))
      }),
    ),
  }
}

/** Results that name their functions only belong to the calls of the same names, one after the other. */
function withIds(pieces: readonly Piece[]): readonly Piece[] {
  const open = new Map<string, string[]>()
  let count = 0
  return pieces.map((piece) => {
    if (piece.kind === 'call' && piece.id === '') {
      count += 1
      const id = `${piece.name}-${count}`
      open.set(piece.name, [...(open.get(piece.name) ?? []), id])
      return { ...piece, id }
    }
    if (piece.kind !== 'result' || !piece.id.startsWith('by name: ')) return piece
    return { ...piece, id: open.get(piece.id.slice('by name: '.length))?.shift() ?? 'no open call' }
  })
}

/** Gemini's contents ("Function calling" and "Thought signatures", stored copies read 2026-11-22). */
export const contentWire: Wire = (body) => {
  const contents = list(body, 'contents')
  const parts = contents.flatMap((content) => list(content, 'parts'))
  const imageOf = (part: Data): readonly string[] => (part['inlineData'] === undefined ? [] : [text(member(part, 'inlineData')['data'])])
  const callsIn = (content: Data): readonly Data[] => list(content, 'parts').filter((part) => part['functionCall'] !== undefined)
  const resultsIn = (content: Data | undefined): readonly Data[] =>
    content === undefined ? [] : list(content, 'parts').filter((part) => part['functionResponse'] !== undefined)
  const isObjectLike = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
  const dataOf = (part: Data): number => Object.keys(part).filter((name) => !['thoughtSignature', 'thought'].includes(name)).length
  return {
    faults: [
      ...alternate(
        contents.map(({ role }) => role),
        'model',
      ),
      ...(contents.every((content) => list(content, 'parts').length > 0) ? [] : ['a turn is empty']),
      ...(parts.every((part) => dataOf(part) === 1) ? [] : ['a part has not one datum']),
      ...contents.flatMap((content, index) =>
        callsIn(content).length === resultsIn(contents[index + 1]).length ? [] : ['there are not as many results as calls'],
      ),
      ...(contents.every((content) =>
        callsIn(content)
          .slice(0, 1)
          .every((part) => text(part['thoughtSignature']) !== ''),
      )
        ? []
        : ['the first call has no signature']),
      ...(parts.every((part) => part['functionResponse'] === undefined || isObjectLike(member(part, 'functionResponse')['response']))
        ? []
        : ['a result is no object']),
    ],
    pieces: withIds(
      byBlocks(contents, (content) =>
        list(content, 'parts').flatMap((part): readonly Piece[] => {
          const { functionCall: call, functionResponse: result } = part
          const { id, name, args } = member(part, 'functionCall')
          if (call !== undefined) return [{ kind: 'call', id: text(id), name: text(name), input: args ?? {} }]
          const { id: of, name: called, response } = member(part, 'functionResponse')
          const images = list(member(part, 'functionResponse'), 'parts').flatMap(imageOf)
          const resultText = Object.values((response ?? {}) as Data)
            .map(text)
            .join('')
          if (result !== undefined)
            return [{ kind: 'result', id: text(of) || `by name: ${text(called)}`, text: resultText, images: images }]
          if (part['thought'] === true) return []
          return content['role'] === 'model' ? spoken('model', text(part['text'])) : spoken('user', text(part['text']), imageOf(part))
        }),
      ),
    ),
  }
}

/** Ollama's messages, which have no ids. */
export const ollamaWire: Wire = (body) => ({
  faults: [],
  pieces: withIds(
    list(body, 'messages').flatMap((message): readonly Piece[] => {
      const { role, content, tool_name: of } = message
      // Holds: as above.
      const images = (message['images'] ?? []) as readonly string[]
      if (role === 'tool') return [{ kind: 'result', id: `by name: ${text(of)}`, text: text(content), images: images }]
      if (role === 'user') return spoken('user', text(content), images)
      const calls = list(message, 'tool_calls').map((call): Piece => {
        const { name, arguments: input } = member(call, 'function')
        return { kind: 'call', id: '', name: text(name), input }
      })
      return role === 'assistant' ? [...spoken('model', text(content)), ...calls] : []
    }),
  ),
})

/** The messages of Tencent's platform before TokenHub. */
export const tencentWire: Wire = (body) => ({
  faults: [],
  pieces: list(body, 'Messages').flatMap((message): readonly Piece[] => {
    const { Role: role, Content: content, ToolCallId: of } = message
    const parts = list(message, 'Contents')
    const fullText = text(content) + parts.map((part) => text(part['Text'])).join('')
    const images = parts.flatMap((part) => base64In(member(part, 'ImageUrl')['Url']))
    if (role === 'tool') return [{ kind: 'result', id: text(of), text: fullText, images: images }]
    if (role === 'user') return spoken('user', fullText, images)
    const calls = list(message, 'ToolCalls').map((call): Piece => {
      const { Name: name, Arguments: input } = member(call, 'Function')
      return { kind: 'call', id: text(call['Id']), name: text(name), input: JSON.parse(text(input)) }
    })
    return role === 'assistant' ? [...spoken('model', fullText), ...calls] : []
  }),
})

/** The turns of Baidu's interface of 2023, of which each has one call. */
export const baiduWire: Wire = (body) => {
  const messages = list(body, 'messages')
  const sides = messages.map(({ role }) => (role === 'function' ? 'user' : role))
  return {
    faults: alternate(sides, 'assistant'),
    pieces: withIds(
      messages.flatMap((message): readonly Piece[] => {
        const { role, content, name } = message
        if (role === 'function') return [{ kind: 'result', id: `by name: ${text(name)}`, text: text(content), images: [] }]
        if (role === 'user') return spoken('user', text(content))
        const { name: called, arguments: input } = member(message, 'function_call')
        const call: readonly Piece[] =
          called === undefined ? [] : [{ kind: 'call', id: '', name: text(called), input: JSON.parse(text(input)) }]
        return [...spoken('model', text(content)), ...call]
      }),
    ),
  }
}
