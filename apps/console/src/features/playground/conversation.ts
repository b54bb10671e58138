import { filled, type Variables } from './variables.ts'

/** What is sent along with a prompt. */
export type Attachment =
  | { readonly kind: 'picture' | 'document'; readonly name: string /** A data URL. */; readonly data: string }
  | { readonly kind: 'text'; readonly name: string; readonly data: string }

/** A function that the model wants to be called. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON as the model wrote it; may be incomplete while it streams. */
  readonly arguments: string
}

export type CompletionState = 'running' | 'done' | 'stopped' | 'failed'

/** One response of a model, and how it was made. */
export interface Completion {
  readonly model: string
  readonly state: CompletionState
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly ToolCall[]
  /** Why there is no response, or why it broke off; empty = it did not fail. */
  readonly error: string
  /** As the vendor reports it; empty = not reported. */
  readonly finishReason: string
  /** LLM tokens; `null` = not reported. */
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number } | null
  /** From the request's id header; empty = there was none. */
  readonly requestId: string
  readonly startedMs: number
  /** Milliseconds to the first part of the response, and to its end; `null` = not yet. */
  readonly firstMs: number | null
  readonly totalMs: number | null
  /** Quota that was charged; `null` = not known. */
  readonly quota: number | null
  /** What the called functions returned, by the id of the call. */
  readonly results: Readonly<Record<string, string>>
}

/** A prompt, and the responses of each model: more than one in a row where a model called functions in between. */
export interface Turn {
  readonly id: string
  /** As it was typed, with its variables. */
  readonly text: string
  /** The values of the variables when it was sent. */
  readonly values: Variables
  readonly attachments: readonly Attachment[]
  /** By lane. */
  readonly answers: readonly (readonly Completion[])[]
}

/** What requests say beside their messages. Numbers are texts as they were typed; empty = not sent. */
export interface Parameters {
  readonly system: string
  readonly temperature: string
  readonly topP: string
  readonly maxTokens: string
  readonly effort: '' | 'minimal' | 'low' | 'medium' | 'high'
  readonly frequencyPenalty: string
  readonly presencePenalty: string
  readonly seed: string
  /** Texts at which the response ends, one a line. */
  readonly stop: string
  readonly isStreamed: boolean
  /** Definitions of functions as a JSON list; empty = none. */
  readonly tools: string
  /** Whether functions are called; empty = the model decides. */
  readonly toolChoice: '' | 'required' | 'none'
  readonly format: 'text' | 'json_object' | 'json_schema'
  /** A JSON schema, for `json_schema`. */
  readonly schema: string
}

export interface Conversation {
  readonly id: string
  readonly updatedMs: number
  /** The id of the token that pays; 0 = none is chosen. */
  readonly tokenId: number
  /** The models that respond side by side, one per lane. */
  readonly models: readonly string[]
  /** Of all lanes that have none of their own. */
  readonly parameters: Parameters
  /** By lane: its own parameters; `null` and missing = those of all. */
  readonly own: readonly (Parameters | null)[]
  /** The present values of the variables in prompts. */
  readonly variables: Variables
  readonly turns: readonly Turn[]
}

export const lanesMax = 3

export const defaultParameters: Parameters = {
  system: '',
  temperature: '',
  topP: '',
  maxTokens: '',
  effort: '',
  frequencyPenalty: '',
  presencePenalty: '',
  seed: '',
  stop: '',
  isStreamed: true,
  tools: '',
  toolChoice: '',
  format: 'text',
  schema: '',
}

/** A completion that was just requested. */
export function newCompletion(model: string, startedMs: number): Completion {
  return {
    ...{ model, startedMs, state: 'running', text: '', reasoning: '', calls: [], error: '', finishReason: '', requestId: '' },
    ...{ usage: null, firstMs: null, totalMs: null, quota: null, results: {} },
  }
}

/** The parameters of a lane: its own, or those of all. */
export const parametersOf = ({ parameters, own }: Pick<Conversation, 'parameters' | 'own'>, lane: number): Parameters =>
  own[lane] ?? parameters

/** A conversation as an earlier version of this page has stored it, with what it did not know. */
export function upgraded(stored: Conversation): Conversation {
  const { own = [], variables = {} }: Partial<Conversation> = stored
  const turns = stored.turns.map((turn) => ({ ...turn, values: turn.values ?? {} }))
  const whole = (parameters: Parameters): Parameters => ({ ...defaultParameters, ...parameters })
  return { ...stored, variables, turns, parameters: whole(stored.parameters), own: own.map((one) => one && whole(one)) }
}

type Message = Readonly<Record<string, unknown>>

/** The messages that lead to the next response of a lane: those of the turns up to the given one, and its responses so far. */
export function messagesOf(conversation: Conversation, lane: number): readonly Message[] {
  const { turns, variables } = conversation
  const { system: text } = parametersOf(conversation, lane)
  const system = text.trim() === '' ? [] : [{ role: 'system', content: filled(text, variables) }]
  return [...system, ...turns.flatMap((turn) => [userMessage(turn), ...(turn.answers[lane] ?? []).flatMap(responseMessages)])]
}

function userMessage({ text: typed, values, attachments }: Turn): Message {
  const text = filled(typed, values)
  if (attachments.length === 0) return { role: 'user', content: text }
  const words = text === '' ? [] : [{ type: 'text', text }]
  return { role: 'user', content: [...attachments.map(partOf), ...words] }
}

function partOf({ kind, name, data }: Attachment): Message {
  if (kind === 'picture') return { type: 'image_url', image_url: { url: data } }
  if (kind === 'document') return { type: 'file', file: { filename: name, file_data: data } }
  return { type: 'text', text: `${name}:\n\n${data}` }
}

/** A response without content is not repeated to the model: vendors refuse empty messages. */
function responseMessages({ text, calls, results, state }: Completion): readonly Message[] {
  const hasResults = calls.length > 0 && calls.every(({ id }) => results[id] !== undefined)
  if (state === 'running' || (text === '' && !hasResults)) return []
  if (!hasResults) return [{ role: 'assistant', content: text }]
  const toolCalls = calls.map(({ id, name, arguments: input }) => ({ id, type: 'function', function: { name, arguments: input } }))
  return [
    { role: 'assistant', content: text === '' ? null : text, tool_calls: toolCalls },
    ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: results[id] ?? '' })),
  ]
}

/** Adds a prompt; its lanes have no responses yet. */
export function withTurn(conversation: Conversation, turn: Omit<Turn, 'answers'>): Conversation {
  return { ...conversation, turns: [...conversation.turns, { ...turn, answers: conversation.models.map(() => []) }] }
}

/** Without a prompt and everything that came after it. */
export function before(conversation: Conversation, turnId: string): Conversation {
  const at = conversation.turns.findIndex(({ id }) => id === turnId)
  return at < 0 ? conversation : { ...conversation, turns: conversation.turns.slice(0, at) }
}

/** Changes the responses of a lane in the last turn. */
export function withCompletions(
  conversation: Conversation,
  lane: number,
  change: (completions: readonly Completion[]) => readonly Completion[],
): Conversation {
  const last = conversation.turns.at(-1)
  if (last === undefined) return conversation
  const completions = conversation.models.map((_, index) => {
    const now = last.answers[index] ?? []
    return index === lane ? change(now) : now
  })
  return { ...conversation, turns: [...conversation.turns.slice(0, -1), { ...last, answers: completions }] }
}

/** Changes the newest response of a lane. */
export function withNewest(conversation: Conversation, lane: number, change: (completion: Completion) => Completion): Conversation {
  return withCompletions(conversation, lane, (completions) => {
    const newest = completions.at(-1)
    return newest === undefined ? completions : [...completions.slice(0, -1), change(newest)]
  })
}

/** Takes the lane of a model out of all turns. */
export function withoutLane(conversation: Conversation, lane: number): Conversation {
  const without = <T>(list: readonly T[]): readonly T[] => list.filter((_, index) => index !== lane)
  const turns = conversation.turns.map((turn) => ({ ...turn, answers: without(turn.answers) }))
  return { ...conversation, models: without(conversation.models), own: without(conversation.own), turns }
}

/** Whether a model waits for the results of functions that it called. */
export function isWaitingForResults(conversation: Conversation): boolean {
  const newest = (conversation.turns.at(-1)?.answers ?? []).flatMap((completions) => completions.slice(-1))
  return newest.some(({ calls, results, state }) => state === 'done' && calls.some(({ id }) => results[id] === undefined))
}

export function isRunning({ turns }: Conversation): boolean {
  return (turns.at(-1)?.answers ?? []).some((completions) => completions.at(-1)?.state === 'running')
}

const titleLengthMax = 80

/** The beginning of the first prompt; empty = there is no prompt yet. */
export function titleOf({ turns }: Pick<Conversation, 'turns'>): string {
  const worded = turns.find(({ text }) => text.trim() !== '')
  const first = worded === undefined ? turns[0]?.attachments[0]?.name : filled(worded.text, worded.values).trim()
  const line = (first ?? '').split('\n')[0] ?? ''
  return line.length > titleLengthMax ? `${line.slice(0, titleLengthMax)}…` : line
}

/** The conversation as Markdown. */
export function asMarkdown(conversation: Conversation, words: { readonly user: string; readonly system: string }): string {
  const systems = conversation.models.map((_, lane) => filled(parametersOf(conversation, lane).system, conversation.variables))
  const parts = [
    `# ${titleOf(conversation)}`,
    ...[...new Set(systems)].filter((system) => system.trim() !== '').flatMap((system) => [`## ${words.system}`, system]),
    ...conversation.turns.flatMap((turn) => [
      `## ${words.user}`,
      ...turn.attachments.map(({ name }) => `*${name}*`),
      filled(turn.text, turn.values),
      ...turn.answers
        .flat()
        .flatMap((completion) => [`## ${completion.model}`, completion.text || completion.error, ...completion.calls.map(callText)]),
    ]),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

const callText = (call: ToolCall): string => `\`\`\`json\n${JSON.stringify({ name: call.name, arguments: call.arguments })}\n\`\`\``
