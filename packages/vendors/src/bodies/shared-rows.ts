import { type BodyRow, inFallbacks } from './body-row.ts'

/** Settings of sampling and of the chat template, which cost nothing. */
export const sampling: readonly BodyRow[] = [
  {
    ruling: 'tokens',
    source: 'vLLM, "OpenAI-Compatible Server", extra parameters; OpenRouter, "Parameters"; named 2026-11-29',
    names: [
      ...['top_k', 'top_a', 'min_p', 'typical_p', 'repetition_penalty', 'length_penalty', 'min_tokens', 'stop_token_ids', 'ignore_eos'],
      ...['skip_special_tokens', 'spaces_between_special_tokens', 'include_stop_str_in_output', 'bad_words', 'allowed_token_ids'],
      ...['use_beam_search', 'guided_json', 'guided_regex', 'guided_choice', 'guided_grammar', 'guided_decoding_backend'],
      ...['structured_outputs', 'chat_template', 'chat_template_kwargs', 'add_generation_prompt', 'continue_final_message'],
      ...['add_special_tokens', 'truncate_prompt_tokens', 'mm_processor_kwargs', 'return_token_ids', 'prompt_logprobs', 'request_id'],
      ...['do_sample', 'random_seed', 'incremental_output', 'penalty_score', 'mirostat', 'mirostat_eta', 'mirostat_tau', 'cache_prompt'],
    ],
  },
]

/** Switches of thinking; thoughts are output tokens. */
export const thinkingSwitches: readonly BodyRow[] = [
  {
    ruling: 'tokens',
    source:
      'OpenRouter, "Reasoning tokens"; Alibaba Cloud Model Studio, "Deep thinking"; Zhipu, "Thinking mode"; Groq, "Reasoning"; MiniMax, "Interleaved thinking"; named 2026-11-29',
    names: [
      ...['reasoning', 'reasoning_effort', 'include_reasoning', 'separate_reasoning', 'reasoning_format', 'reasoning_split', 'thinking'],
      ...['enable_thinking', 'thinking_budget', 'thinking_config', 'preserve_thinking', 'clear_thinking', 'prompt_mode', 'output_config'],
    ],
  },
]

/** OpenRouter's own members; what it charges is the cost of the model and of the provider that answered. */
export const openRouterMembers: readonly BodyRow[] = [
  {
    ruling: 'tokens',
    source: 'OpenRouter, "API reference", "Request schema", named 2026-11-29',
    names: ['route', 'transforms', 'usage', 'session_id', 'trace', 'debug', 'image_config', 'provider', 'plugins'],
  },
  {
    ruling: 'priced',
    source: 'OpenRouter, "Model fallbacks": the model that answered is billed; named 2026-11-29',
    names: ['models'],
    models: { at: inFallbacks, role: 'instead' },
  },
  { ruling: 'refused', source: 'OpenRouter, "Presets": a preset may name models and tools; named 2026-11-29', names: ['preset'] },
]

const liteLlm = 'LiteLLM, "Fallbacks", "Client-Side Fallbacks" and "Reliability", stored copies read 2026-11-29'

/**
 * Members by which a proxy of LiteLLM answers with other models than the requested one. It has no type, so they are for servers that people run
 * themselves: only the models are judged there.
 */
export const liteLlmMembers: readonly BodyRow[] = [
  {
    ruling: 'refused',
    source: liteLlm,
    names: ['context_window_fallbacks', 'content_policy_fallbacks', 'default_fallbacks', 'context_window_fallback_dict'],
    models: { at: inFallbacks, role: 'instead' },
  },
  {
    ruling: 'refused',
    source: 'LiteLLM, "Config settings" and its proxy, which takes a router with models from a request; named 2026-11-29',
    names: ['model_list', 'user_config', 'model_group_alias'],
    models: { at: inFallbacks, role: 'instead' },
  },
  {
    ruling: 'refused',
    source: 'LiteLLM, its proxy, settings of the router for one request; named 2026-11-29',
    names: ['router_settings_override'],
  },
]

/** The same in calls that have `fallbacks` at no other vendor. */
export const liteLlmRows: readonly BodyRow[] = [
  { ruling: 'refused', source: liteLlm, names: ['fallbacks'], models: { at: inFallbacks, role: 'instead' } },
  ...liteLlmMembers,
]

/** What is in them, and in `extra_body`, which it sends on to the vendor of the model. */
export const liteLlmInner: Readonly<Record<string, readonly BodyRow[]>> = {
  router_settings_override: [
    ...liteLlmRows,
    {
      ruling: 'tokens',
      source: 'LiteLLM, "Config settings", `router_settings`; named 2026-11-29',
      names: ['num_retries', 'timeout', 'allowed_fails', 'retry_policy', 'model_group_retry_policy', 'retry_after', 'max_fallbacks'],
    },
  ],
}

/** Providers of one model have prices of their own, so a request may only narrow the choice in ways that do not select them. */
export const openRouterProvider: readonly BodyRow[] = [
  {
    ruling: 'tokens',
    source: 'OpenRouter, "Provider routing", named 2026-11-29',
    names: ['allow_fallbacks', 'require_parameters', 'data_collection', 'zdr', 'enforce_distillable_text', 'max_price'],
  },
  {
    ruling: 'refused',
    source: 'OpenRouter, "Provider routing": these select dearer providers; named 2026-11-29',
    names: ['order', 'only', 'ignore', 'sort', 'quantizations', 'preferred_min_throughput', 'preferred_max_latency', 'options'],
  },
]

export const openRouterPlugins: readonly BodyRow[] = [
  {
    ruling: 'tokens',
    source: 'OpenRouter, "Response healing" and "Context compression", named 2026-11-29',
    names: ['response-healing', 'context-compression'],
  },
  {
    ruling: 'refused',
    source: 'OpenRouter, "Web search" and "PDF inputs": charged by the result and by the page, which no answer counts; named 2026-11-29',
    names: ['web', 'file-parser'],
    effect: 'searches',
  },
  {
    ruling: 'refused',
    source: 'OpenRouter, "Auto router" and "Fusion": they choose models; named 2026-11-29',
    names: ['auto-router', 'fusion', 'pareto-router', 'moderation'],
    models: { at: 'allowed_models[]', role: 'instead' },
  },
]

/** OpenRouter's tools, in chats and responses. */
export const openRouterTools: readonly BodyRow[] = [
  {
    ruling: 'priced',
    source: 'OpenRouter, "Server tools", "Web search", named 2026-11-29',
    names: ['openrouter:web_search'],
    effect: 'searches',
  },
  { ruling: 'tokens', source: 'OpenRouter, "Server tools", "Datetime", named 2026-11-29', names: ['openrouter:datetime'] },
  {
    ruling: 'refused',
    source: 'OpenRouter, "Server tools": these run another model, and the answer does not say what it used; named 2026-11-29',
    names: ['openrouter:advisor', 'openrouter:image_generation', 'openrouter:subagent', 'openrouter:fusion'],
    models: { at: 'parameters.model', role: 'beside' },
    effect: 'anything',
  },
  {
    ruling: 'refused',
    source: 'OpenRouter, "Server tools", "Web fetch": charged by the engine, which no answer names; named 2026-11-29',
    names: ['openrouter:web_fetch'],
  },
]

/** Anthropic's tools, which clients of every protocol may send to its models. */
export const anthropicTools: readonly BodyRow[] = [
  {
    ruling: 'tokens',
    source:
      'Anthropic, "Tool use", "Pricing": tools that the client runs cost their tokens; its SDK for TypeScript 1.14.0; read 2026-11-29',
    names: ['bash', 'text_editor', 'computer', 'memory', 'browser_toolset', 'computer_toolset'],
    anyDate: true,
  },
  {
    ruling: 'tokens',
    source: 'Anthropic, "Tool search tool" and "MCP connector": their tokens; its SDK for TypeScript 1.14.0; read 2026-11-29',
    names: [
      ...['tool_search_tool_bm25', 'tool_search_tool_bm25_20251119', 'tool_search_tool_regex', 'tool_search_tool_regex_20251119'],
      'mcp_toolset',
    ],
  },
  {
    ruling: 'tokens',
    source: 'Anthropic, "Web fetch tool": no charge beyond the tokens; named 2026-11-29',
    names: ['web_fetch_20250910', 'web_fetch_20260209', 'web_fetch_20260309', 'web_fetch_20260318'],
  },
  {
    ruling: 'tokens',
    source:
      'Anthropic, "Code execution tool": free beside a search, else beyond 1,550 hours of a month 0.05 dollars an hour; named 2026-11-29',
    names: ['code_execution_20250522', 'code_execution_20250825', 'code_execution_20260120', 'code_execution_20260521'],
  },
  {
    ruling: 'priced',
    source: 'Anthropic, "Web search tool": `server_tool_use.web_search_requests`; named 2026-11-29',
    names: ['web_search_20250305', 'web_search_20260209', 'web_search_20260318'],
    effect: 'searches',
  },
  {
    ruling: 'priced',
    source: 'Anthropic, "Advisor tool": `usage.iterations` with the model of the advisor; named 2026-11-29',
    names: ['advisor_20260301'],
    models: { at: 'model', role: 'beside' },
  },
]
