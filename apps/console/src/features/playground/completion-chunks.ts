import type { Completion, ToolCall } from './conversation.ts'

/**
 * Reads a stream of server-sent events piece by piece.
 * @returns the data of each event that is complete with this piece
 */
export function eventReader(): (piece: string) => readonly string[] {
  let rest = ''
  return (piece) => {
    // A line end may be cut between its two characters, so the text is made uniform only up to the last line feed.
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    return lines.flatMap((line) => {
      const text = line.endsWith('\r') ? line.slice(0, -1) : line
      return text.startsWith('data:') ? [text.slice('data:'.length).trimStart()] : []
    })
  }
}

type Json = Readonly<Record<string, unknown>>

/** An object read by names; anything else has none. */
const jsonOf = (value: unknown): Json =>
  // Holds: any object can be read by string keys; each value is checked before use.
  typeof value === 'object' && value !== null ? (value as Json) : {}
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** An event of a stream, or a whole response: both have the same members around `delta` and `message`. */
export function withPart(completion: Completion, part: unknown): Completion {
  const { choices, usage, error } = jsonOf(part)
  if (error !== undefined && error !== null) return { ...completion, state: 'failed', error: errorText(error) }
  const choice = jsonOf(listOf(choices)[0])
  const delta = jsonOf(choice['delta'] ?? choice['message'])
  return {
    ...completion,
    text: completion.text + contentText(delta['content']) + textOf(delta['refusal']),
    reasoning: completion.reasoning + (textOf(delta['reasoning_content']) || textOf(delta['reasoning'])),
    calls: withCalls(completion.calls, delta['tool_calls']),
    finishReason: textOf(choice['finish_reason']) || completion.finishReason,
    usage: usageOf(usage) ?? completion.usage,
  }
}

/** Content is a text, or a list of parts. Images of a model become images of the text. */
function contentText(content: unknown): string {
  if (!Array.isArray(content)) return textOf(content)
  return content
    .map(jsonOf)
    .map(({ text, image_url: image }) => textOf(text) || imageText(textOf(jsonOf(image)['url'])))
    .join('')
}

const imageText = (url: string): string => (url === '' ? '' : `\n\n![](${url})\n\n`)

function errorText(error: unknown): string {
  return textOf(error) || textOf(jsonOf(error)['message']) || JSON.stringify(error)
}

/** Parts of calls belong together by their index; a part without one goes on with the last call, unless it has an id of its own. */
function withCalls(calls: readonly ToolCall[], parts: unknown): readonly ToolCall[] {
  return listOf(parts)
    .map(jsonOf)
    .reduce<readonly ToolCall[]>((now, part) => {
      const { name, arguments: input } = jsonOf(part['function'])
      const id = textOf(part['id'])
      const at = placeOf(now, { index: part['index'], id })
      const call = now[at] ?? { id: id || `call_${at}`, name: '', arguments: '' }
      const next = { id: call.id, name: call.name || textOf(name), arguments: call.arguments + textOf(input) }
      return [...now.slice(0, at), next, ...now.slice(at + 1)]
    }, calls)
}

function placeOf(calls: readonly ToolCall[], { index, id }: { readonly index: unknown; readonly id: string }): number {
  if (typeof index === 'number' && Number.isInteger(index) && index >= 0) return Math.min(index, calls.length)
  const known = calls.findIndex((call) => call.id === id)
  if (known >= 0) return known
  return id === '' ? Math.max(0, calls.length - 1) : calls.length
}

function usageOf(usage: unknown): Completion['usage'] {
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = jsonOf(usage)
  return typeof promptTokens === 'number' && typeof completionTokens === 'number' ? { promptTokens, completionTokens } : null
}
