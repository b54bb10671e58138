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

export type AnswerState = 'running' | 'done' | 'stopped' | 'failed'

/** One answer of a model, and how it was made. */
export interface Answer {
  readonly model: string
  readonly state: AnswerState
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly ToolCall[]
  /** Why there is no answer, or why it broke off; empty = it did not fail. */
  readonly error: string
  /** As the vendor reports it; empty = not reported. */
  readonly finishReason: string
  /** LLM tokens; `null` = not reported. */
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number } | null
  /** From the request's id header; empty = there was none. */
  readonly requestId: string
  readonly startedMs: number
  /** Milliseconds to the first part of the answer, and to its end; `null` = not yet. */
  readonly firstMs: number | null
  readonly totalMs: number | null
  /** Quota that was charged; `null` = not known. */
  readonly quota: number | null
  /** What the called functions returned, by the id of the call. */
  readonly results: Readonly<Record<string, string>>
}

/** A prompt, and the answers of each model: more than one in a row where a model called functions in between. */
export interface Turn {
  readonly id: string
  readonly text: string
  readonly attachments: readonly Attachment[]
  /** By lane. */
  readonly answers: readonly (readonly Answer[])[]
}

/** What requests say beside their messages. Numbers are texts as they were typed; empty = not sent. */
export interface Parameters {
  readonly system: string
  readonly temperature: string
  readonly topP: string
  readonly maxTokens: string
  readonly effort: '' | 'minimal' | 'low' | 'medium' | 'high'
  readonly isStreamed: boolean
  /** Definitions of functions as a JSON list; empty = none. */
  readonly tools: string
  readonly format: 'text' | 'json_object' | 'json_schema'
  /** A JSON schema, for `json_schema`. */
  readonly schema: string
}

export interface Conversation {
  readonly id: string
  readonly updatedMs: number
  /** The id of the token that pays; 0 = none is chosen. */
  readonly tokenId: number
  /** The models that answer side by side, one a lane. */
  readonly models: readonly string[]
  readonly parameters: Parameters
  readonly turns: readonly Turn[]
}

export const lanesMax = 3

export const defaultParameters: Parameters = {
  system: '',
  temperature: '',
  topP: '',
  maxTokens: '',
  effort: '',
  isStreamed: true,
  tools: '',
  format: 'text',
  schema: '',
}

/** An answer that was just asked for. */
export function newAnswer(model: string, startedMs: number): Answer {
  return {
    ...{ model, startedMs, state: 'running', text: '', reasoning: '', calls: [], error: '', finishReason: '', requestId: '' },
    ...{ usage: null, firstMs: null, totalMs: null, quota: null, results: {} },
  }
}

type Message = Readonly<Record<string, unknown>>

/** The messages that lead to the next answer of a lane: those of the turns up to the given one, and its answers so far. */
export function messagesOf({ parameters, turns }: Conversation, lane: number): readonly Message[] {
  const system = parameters.system.trim() === '' ? [] : [{ role: 'system', content: parameters.system }]
  return [...system, ...turns.flatMap((turn) => [userMessage(turn), ...(turn.answers[lane] ?? []).flatMap(answerMessages)])]
}

function userMessage({ text, attachments }: Turn): Message {
  if (attachments.length === 0) return { role: 'user', content: text }
  const words = text === '' ? [] : [{ type: 'text', text }]
  return { role: 'user', content: [...attachments.map(partOf), ...words] }
}

function partOf({ kind, name, data }: Attachment): Message {
  if (kind === 'picture') return { type: 'image_url', image_url: { url: data } }
  if (kind === 'document') return { type: 'file', file: { filename: name, file_data: data } }
  return { type: 'text', text: `${name}:\n\n${data}` }
}

/** An answer without content is not repeated to the model: vendors refuse empty messages. */
function answerMessages({ text, calls, results, state }: Answer): readonly Message[] {
  const isAnswered = calls.length > 0 && calls.every(({ id }) => results[id] !== undefined)
  if (state === 'running' || (text === '' && !isAnswered)) return []
  if (!isAnswered) return [{ role: 'assistant', content: text }]
  const toolCalls = calls.map(({ id, name, arguments: input }) => ({ id, type: 'function', function: { name, arguments: input } }))
  return [
    { role: 'assistant', content: text === '' ? null : text, tool_calls: toolCalls },
    ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: results[id] ?? '' })),
  ]
}

/** Adds a prompt; its lanes have no answers yet. */
export function withTurn(conversation: Conversation, turn: Omit<Turn, 'answers'>): Conversation {
  return { ...conversation, turns: [...conversation.turns, { ...turn, answers: conversation.models.map(() => []) }] }
}

/** Without a prompt and everything that came after it. */
export function before(conversation: Conversation, turnId: string): Conversation {
  const at = conversation.turns.findIndex(({ id }) => id === turnId)
  return at < 0 ? conversation : { ...conversation, turns: conversation.turns.slice(0, at) }
}

/** Changes the answers of a lane in the last turn. */
export function withAnswers(
  conversation: Conversation,
  lane: number,
  change: (answers: readonly Answer[]) => readonly Answer[],
): Conversation {
  const last = conversation.turns.at(-1)
  if (last === undefined) return conversation
  const answers = conversation.models.map((_, index) => {
    const now = last.answers[index] ?? []
    return index === lane ? change(now) : now
  })
  return { ...conversation, turns: [...conversation.turns.slice(0, -1), { ...last, answers }] }
}

/** Changes the newest answer of a lane. */
export function withNewest(conversation: Conversation, lane: number, change: (answer: Answer) => Answer): Conversation {
  return withAnswers(conversation, lane, (answers) => {
    const newest = answers.at(-1)
    return newest === undefined ? answers : [...answers.slice(0, -1), change(newest)]
  })
}

/** Takes the lane of a model out of all turns. */
export function withoutLane(conversation: Conversation, lane: number): Conversation {
  const without = <T>(list: readonly T[]): readonly T[] => list.filter((_, index) => index !== lane)
  const turns = conversation.turns.map((turn) => ({ ...turn, answers: without(turn.answers) }))
  return { ...conversation, models: without(conversation.models), turns }
}

/** Whether a model waits for the results of functions that it called. */
export function isWaitingForResults(conversation: Conversation): boolean {
  const newest = (conversation.turns.at(-1)?.answers ?? []).flatMap((answers) => answers.slice(-1))
  return newest.some(({ calls, results, state }) => state === 'done' && calls.some(({ id }) => results[id] === undefined))
}

export function isRunning({ turns }: Conversation): boolean {
  return (turns.at(-1)?.answers ?? []).some((answers) => answers.at(-1)?.state === 'running')
}

const titleLengthMax = 80

/** The beginning of the first prompt; empty = nothing was asked yet. */
export function titleOf({ turns }: Pick<Conversation, 'turns'>): string {
  const first = turns.find(({ text }) => text.trim() !== '')?.text.trim() ?? turns[0]?.attachments[0]?.name ?? ''
  const line = first.split('\n')[0] ?? ''
  return line.length > titleLengthMax ? `${line.slice(0, titleLengthMax)}…` : line
}

/** The conversation as Markdown. */
export function asMarkdown(conversation: Conversation, words: { readonly user: string; readonly system: string }): string {
  const { system } = conversation.parameters
  const parts = [
    `# ${titleOf(conversation)}`,
    ...(system.trim() === '' ? [] : [`## ${words.system}`, system]),
    ...conversation.turns.flatMap((turn) => [
      `## ${words.user}`,
      ...turn.attachments.map(({ name }) => `*${name}*`),
      turn.text,
      ...turn.answers.flat().flatMap((answer) => [`## ${answer.model}`, answer.text || answer.error, ...answer.calls.map(callText)]),
    ]),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

const callText = (call: ToolCall): string => `\`\`\`json\n${JSON.stringify({ name: call.name, arguments: call.arguments })}\n\`\`\``
