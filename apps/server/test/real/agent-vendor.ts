import { json, type Received, type Script } from '../fake-upstream.ts'
import { openaiDouble } from '../vendors/doubles/openai.ts'
import { pieces, type ReadRequest, type ScriptedResponse, sse, type VendorDouble } from '../vendors/vendor-double.ts'

// A vendor whose model behaves as coding agents expect: it calls the tool that runs commands, and repeats what the tool returned.

/** What the command prints; the command itself does not contain it. */
export const printed = 'sluice-42'
export const command = 'printf sluice-%d 42'
export const responseText = `The command printed ${printed}.`
export const laterResponseText = 'That was all.'
export const laterQuestion = 'And what else did it print?'

/** The tools of the agents that run a command, and what they take. */
const shells: Readonly<Record<string, object>> = {
  Bash: { command, description: 'Print a word' },
  run_shell_command: { command, description: 'Print a word' },
  shell_command: { command },
  exec_command: { cmd: command },
  shell: { command: ['bash', '-lc', command] },
}

/** An agent may hold tools back until they are requested. */
const toolSearch = { name: 'ToolSearch', input: { query: 'select:WebFetch' } }

export const usage = { prompt: 9_000, completion: 30 }

function responseTo({ text, tools, results }: ReadRequest, body: string): ScriptedResponse {
  if (text.includes(laterQuestion)) return { text: laterResponseText, usage }
  if (results.join().includes(printed)) return { reasoning: 'It ran.', text: responseText, usage }
  const shell = tools.find((name) => name in shells)
  // Agents ask for titles and the like without their tools.
  if (shell === undefined || !body.includes('Run the command')) return { text: '{"title": "A word"}', usage }
  const search = tools.includes(toolSearch.name) ? [toolSearch] : []
  const calls = [{ name: shell, input: shells[shell] ?? {} }, ...search]
  return { reasoning: 'I run it.', text: 'I run it.', tools: calls, finish: 'tool_calls', usage }
}

/** The response of a vendor to a request in its own protocol. */
export function agentResponse(double: VendorDouble, request: Received): Script {
  if (request.path.endsWith('/responses')) return ownResponse(request)
  if (request.path.includes('count')) return json({ input_tokens: 9_000, totalTokens: 9_000 })
  const read = double.read(request)
  const response = responseTo(read, request.body)
  if (!read.stream) return double.whole(response)
  const { contentType, frames } = double.stream(response)
  return pieces(contentType, frames)
}

interface Item {
  readonly type?: string
  readonly role?: string
  readonly content?: string | ReadonlyArray<{ readonly text?: string }>
  readonly output?: unknown
}

interface ResponsesBody {
  readonly input: readonly Item[]
  readonly tools?: ReadonlyArray<{ readonly name?: string }>
  readonly stream?: boolean
}

const textOf = ({ content = '' }: Item = {}): string =>
  typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('')

/** OpenAI's own responses. */
function ownResponse({ body }: Received): Script {
  // Holds: the client's request is passed on, or a chat that was made a request for a response; both have a list of items.
  const { input, tools = [], stream } = JSON.parse(body) as ResponsesBody
  const read: ReadRequest = {
    text: textOf(input.findLast(({ role }) => role === 'user')),
    ...{ system: '', stream: stream === true, limit: undefined, images: [] },
    tools: tools.flatMap(({ name }) => name ?? []),
    results: input.filter(({ type }) => type === 'function_call_output').map(({ output }) => JSON.stringify(output)),
  }
  const { text = '', tools: calls = [] } = responseTo(read, body)
  const output = [
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'I run it.' }], encrypted_content: 'gAAAA-of-the-vendor' },
    { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text, annotations: [] }] },
    ...calls.map(({ name, input: args }, at) => ({
      ...{ type: 'function_call', id: `fc_${at}`, call_id: `call_${at}`, status: 'completed', name },
      arguments: JSON.stringify(args),
    })),
  ]
  const counts = { input_tokens: usage.prompt, output_tokens: usage.completion, total_tokens: usage.prompt + usage.completion }
  const response = { id: 'resp_1', object: 'response', created_at: 1_700_000_000, model: openaiDouble.model, store: false }
  const whole = { ...response, status: 'completed', output, usage: counts }
  if (!read.stream) return json(whole)
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    ...output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item },
      ...(item.type === 'message'
        ? [{ type: 'response.output_text.delta', item_id: 'msg_1', output_index, content_index: 0, delta: text }]
        : []),
      ...('arguments' in item
        ? [{ type: 'response.function_call_arguments.delta', item_id: item.id, output_index, delta: item.arguments }]
        : []),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: whole },
  ]
  return pieces('text/event-stream', sse(events, true))
}
