import type { BodyRow, BodyTable } from './body-row.ts'

const openai = 'OpenAI API reference, "Realtime", "Client events", and its SDK for TypeScript 7.59.0; read 2026-11-29'
const alibaba = 'Alibaba Cloud Model Studio, "Client events" of Qwen-Omni-Realtime, of 2026-10-23; read 2026-11-29'

const tokens = (source: string, names: readonly string[]): BodyRow => ({ ruling: 'tokens', source, names })

const members: readonly BodyRow[] = [
  tokens(openai, [
    ...['type', 'event_id', 'session', 'response', 'item', 'previous_item_id', 'item_id', 'content_index', 'audio_end_ms', 'audio'],
    'response_id',
  ]),
  tokens(alibaba, ['image']),
]

/** Another model than that of the session has a price of its own. */
const model: BodyRow = {
  ruling: 'priced',
  source: `${alibaba}: an update may name a model`,
  names: ['model'],
  models: { at: '', role: 'instead' },
}

/** Transcriptions of input audio are charged at the price of their own model. */
const transcriber: BodyRow = {
  ruling: 'priced',
  source: `${openai}: transcripts are made by a model of their own`,
  names: ['transcription', 'input_audio_transcription'],
  models: { at: 'model', role: 'beside' },
}

const prompt: BodyRow = { ruling: 'account', source: openai, names: ['prompt'] }

const session: readonly BodyRow[] = [
  tokens(openai, [
    ...['type', 'id', 'object', 'expires_at', 'client_secret', 'audio', 'include', 'instructions', 'max_output_tokens', 'modalities'],
    ...['output_modalities', 'parallel_tool_calls', 'reasoning', 'tool_choice', 'tools', 'tracing', 'truncation', 'voice', 'speed'],
    ...['input_audio_format', 'output_audio_format', 'input_audio_noise_reduction', 'max_response_output_tokens', 'temperature'],
    'turn_detection',
  ]),
  tokens(alibaba, [
    ...['smooth_output', 'seed', 'max_tokens', 'repetition_penalty', 'presence_penalty', 'top_k', 'top_p', 'translation', 'sample_rate'],
  ]),
  { ruling: 'refused', source: `${alibaba}: each search is billed, and no event counts them`, names: ['enable_search', 'search_options'] },
  ...[model, transcriber, prompt],
]

const response: readonly BodyRow[] = [
  tokens(openai, [
    ...['audio', 'conversation', 'input', 'instructions', 'max_output_tokens', 'max_response_output_tokens', 'metadata', 'modalities'],
    ...['output_modalities', 'output_audio_format', 'parallel_tool_calls', 'reasoning', 'temperature', 'tool_choice', 'tools', 'voice'],
    'cancel_previous',
  ]),
  prompt,
]

const tools: readonly BodyRow[] = [tokens(openai, ['function', 'mcp'])]

/** Messages of a client in a session. */
export const realtimeBody: BodyTable = {
  members,
  inner: {
    session,
    response,
    'session.audio': [tokens(openai, ['input', 'output'])],
    'session.audio.input': [tokens(openai, ['format', 'noise_reduction', 'turn_detection']), tokens(alibaba, ['sample_rate']), transcriber],
  },
  lists: { 'session.tools': { by: 'type', rows: tools }, 'response.tools': { by: 'type', rows: tools } },
}
