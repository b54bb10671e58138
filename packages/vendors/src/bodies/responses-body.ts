import type { BodyRow, BodyTable } from './body-row.ts'
import {
  liteLlmInner,
  liteLlmRows,
  openRouterMembers,
  openRouterPlugins,
  openRouterProvider,
  openRouterTools,
  sampling,
  thinkingSwitches,
} from './shared-rows.ts'

const openai = 'OpenAI API reference, "Create a model response", and its SDK for TypeScript 7.59.0; read 2026-11-29'

const members: readonly BodyRow[] = [
  {
    ruling: 'tokens',
    source: openai,
    names: [
      ...['context_management', 'image', 'include', 'input', 'instructions', 'max_output_tokens', 'max_tool_calls', 'metadata', 'model'],
      ...['moderation', 'parallel_tool_calls', 'prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention', 'safety_identifier'],
      ...[
        'store',
        'stream',
        'stream_options',
        'temperature',
        'text',
        'tool_choice',
        'tools',
        'top_logprobs',
        'top_p',
        'truncation',
        'user',
      ],
      ...['generate', 'modalities', 'audio'],
    ],
  },
  { ruling: 'tokens', source: 'xAI, "Advanced usage" of tools: a limit of turns, named 2026-11-29', names: ['max_turns'] },
  { ruling: 'tokens', source: 'Codex CLI, `ResponsesApiRequest`, named 2026-11-29', names: ['client_metadata'] },
  {
    ruling: 'tokens',
    source: 'vLLM, "Responses API", and clients that send settings of chats, named 2026-11-29',
    names: [
      ...['frequency_penalty', 'presence_penalty', 'seed', 'stop', 'logit_bias', 'logprobs', 'max_tokens', 'max_completion_tokens'],
      ...['response_format', 'verbosity', 'n'],
    ],
  },
  { ruling: 'tier', source: 'OpenAI, "Priority processing" and "Flex processing", named 2026-11-29', names: ['service_tier'] },
  { ruling: 'relay', source: openai, names: ['background', 'background_options', 'conversation', 'previous_response_id'] },
  {
    ruling: 'account',
    source: 'OpenAI, "Prompting": its tools are those of the stored prompt; named 2026-11-29',
    names: ['prompt'],
    effect: 'anything',
  },
  { ruling: 'refused', source: `${openai}: no page says what a program costs`, names: ['access_programs'] },
  {
    ruling: 'refused',
    source: 'xAI, "Live search": by the source, until it was shut down; named 2026-11-29',
    names: ['search_parameters'],
  },
  {
    ruling: 'priced',
    source: 'OpenAI API reference, chat completions, `web_search_options`, as clients send it; named 2026-11-29',
    names: ['web_search_options'],
    effect: 'searches',
  },
]

const tools: readonly BodyRow[] = [
  {
    ruling: 'tokens',
    source: `${openai}; "Pricing", "Tools": these cost their tokens`,
    names: [
      ...['function', 'custom', 'namespace', 'mcp', 'local_shell', 'apply_patch', 'tool_search', 'computer', 'computer_use_preview'],
      'programmatic_tool_calling',
    ],
  },
  {
    ruling: 'priced',
    source: 'OpenAI, "Pricing", "Tools", named 2026-11-29',
    names: ['web_search', 'web_search_2025_08_26', 'web_search_preview', 'web_search_preview_2025_03_11'],
    effect: 'searches',
  },
  { ruling: 'priced', source: 'OpenAI, "Pricing", "Tools", named 2026-11-29', names: ['file_search'], effect: 'fileSearches' },
  {
    ruling: 'priced',
    source: 'OpenAI, "Pricing", "Tools": containers by their memory; named 2026-11-29',
    names: ['code_interpreter', 'shell'],
    effect: 'containers',
  },
  {
    ruling: 'priced',
    source: 'OpenAI, "Image generation": the tokens of the image model; named 2026-11-29',
    names: ['image_generation'],
    effect: 'images',
    models: { at: 'model', role: 'beside' },
  },
  { ruling: 'priced', source: 'xAI, "Pricing", "Tools Pricing", named 2026-11-29', names: ['x_search'], effect: 'searches' },
  { ruling: 'priced', source: 'xAI, "Pricing", "Tools Pricing", named 2026-11-29', names: ['collections_search'], effect: 'fileSearches' },
  { ruling: 'priced', source: 'xAI, "Pricing", "Tools Pricing", named 2026-11-29', names: ['code_execution'], effect: 'containers' },
  ...openRouterTools,
]

/** Responses, with what other vendors of this form add. */
export const responsesBody: BodyTable = {
  members: [...members, ...openRouterMembers, ...liteLlmRows, ...sampling, ...thinkingSwitches],
  inner: { ...liteLlmInner, provider: openRouterProvider },
  lists: { tools: { by: 'type', rows: tools }, plugins: { by: 'id', rows: openRouterPlugins } },
}
