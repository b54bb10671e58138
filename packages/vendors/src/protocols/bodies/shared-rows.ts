import { type BodyRow, inFallbacks } from './body-row.ts'

const openRouter = 'OpenRouter, its documentation as of 2026-08-22'

/** Settings of sampling and of the chat template, which cost nothing. */
export const sampling: readonly BodyRow[] = [
  {
    ruling: 'tokens',
    source: 'vLLM, `ChatCompletionRequest`, a copy of its code of 2026; OpenRouter, its OpenAPI file of 2026-08; read 2026-11-29',
    names: [
      ...['top_k', 'top_a', 'min_p', 'repetition_penalty', 'length_penalty', 'min_tokens', 'stop_token_ids', 'ignore_eos'],
      ...['skip_special_tokens', 'spaces_between_special_tokens', 'include_stop_str_in_output', 'bad_words', 'allowed_token_ids'],
      ...['use_beam_search', 'structured_outputs', 'chat_template', 'chat_template_kwargs', 'add_generation_prompt'],
      ...['continue_final_message', 'add_special_tokens', 'truncate_prompt_tokens', 'truncation_side', 'mm_processor_kwargs'],
      ...['media_io_kwargs', 'return_token_ids', 'return_tokens_as_token_ids', 'prompt_logprobs', 'logprob_token_ids', 'request_id'],
      ...['cache_salt', 'vllm_xargs'],
    ],
  },
  {
    ruling: 'tokens',
    source:
      'SDKs of Zhipu 0.2.3 and of Alibaba 2.0.2 for Python; Mistral, its OpenAPI file of 2026-08; LiteLLM 1.110.2, Fireworks and Ollama; read 2026-11-29',
    names: [
      ...['do_sample', 'incremental_output', 'random_seed', 'typical_p', 'mirostat', 'mirostat_eta', 'mirostat_tau'],
      ...['guided_json', 'guided_regex', 'guided_choice', 'guided_grammar', 'guided_decoding_backend'],
    ],
  },
  {
    ruling: 'tokens',
    source: 'Baidu Qianfan, "Chat"; llama.cpp, "HTTP server"; named 2026-11-29',
    names: ['penalty_score', 'cache_prompt'],
  },
]

/** Switches of thinking; reasoning counts as output tokens. */
export const thinkingSwitches: readonly BodyRow[] = [
  {
    ruling: 'tokens',
    source:
      'OpenRouter, "Reasoning tokens"; SDKs of Groq 1.6.0, Zhipu 0.2.3 and Alibaba 2.0.2; Mistral, its OpenAPI file of 2026-08; vLLM; MiniMax, in LiteLLM 1.110.2; Qwen, in a list of members of 2026-08-11; read 2026-11-29',
    names: [
      ...['reasoning', 'reasoning_effort', 'include_reasoning', 'reasoning_format', 'reasoning_split', 'thinking', 'enable_thinking'],
      ...['thinking_budget', 'thinking_token_budget', 'preserve_thinking', 'prompt_mode', 'output_config'],
    ],
  },
  {
    ruling: 'tokens',
    source: 'Zhipu, "Thinking mode"; SGLang, "Reasoning parser"; Google, "OpenAI compatibility"; named 2026-11-29',
    names: ['clear_thinking', 'separate_reasoning', 'thinking_config'],
  },
]

/** OpenRouter's own members; what it charges is the cost of the model and of the provider that served the request. */
export const openRouterMembers: readonly BodyRow[] = [
  {
    ruling: 'tokens',
    source: `${openRouter}, its OpenAPI file, and older members in a list of 2026-08-11; read 2026-11-29`,
    names: ['route', 'transforms', 'usage', 'session_id', 'trace', 'debug', 'image_config', 'provider', 'plugins'],
  },
  {
    ruling: 'priced',
    source: `${openRouter}, "Model fallbacks": the model that answered is billed, and \`model\` names it; read 2026-11-29`,
    names: ['models'],
    models: { at: inFallbacks, role: 'instead' },
  },
  { ruling: 'refused', source: `${openRouter}, "Presets": a preset may name models and tools; read 2026-11-29`, names: ['preset'] },
  {
    ruling: 'refused',
    source: `${openRouter}, "Server tools": it replaces \`max_tool_calls\`, by which calls are bounded here; read 2026-11-29`,
    names: ['stop_server_tools_when'],
  },
]

const liteLlm = 'LiteLLM, "Fallbacks", "Client-Side Fallbacks" and "Reliability", stored copies read 2026-11-29'

/**
 * Members by which a LiteLLM proxy uses other models than the requested one. It has no type, so they are for servers that people run
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

/** Members of LiteLLM in calls that have `fallbacks` at no other vendor. */
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
    source: `${openRouter}, "Provider routing"; read 2026-11-29`,
    names: ['allow_fallbacks', 'require_parameters', 'data_collection', 'zdr', 'enforce_distillable_text', 'max_price'],
  },
  {
    ruling: 'refused',
    source: `${openRouter}, "Provider routing": these select providers by name or by speed, whatever their price; read 2026-11-29`,
    names: ['order', 'only', 'ignore', 'sort', 'quantizations', 'preferred_min_throughput', 'preferred_max_latency'],
  },
  { ruling: 'refused', source: 'OpenRouter, settings of single providers, named 2026-11-29', names: ['options'] },
]

export const openRouterPlugins: readonly BodyRow[] = [
  {
    ruling: 'tokens',
    source: `${openRouter}, "Plugins": neither has a charge; read 2026-11-29`,
    names: ['response-healing', 'context-compression'],
  },
  {
    ruling: 'refused',
    source: `${openRouter}, "Web search", "Web fetch" and "PDF inputs": charged by the request, the page behind an address and the page, which no answer counts; read 2026-11-29`,
    names: ['web', 'web-fetch', 'file-parser'],
    effect: 'searches',
  },
  { ruling: 'refused', source: `${openRouter}, its OpenAPI file: no page says what it costs; read 2026-11-29`, names: ['moderation'] },
  {
    ruling: 'refused',
    source: `${openRouter}, "Auto router", "Pareto router" and "Fusion": they choose models; read 2026-11-29`,
    names: ['auto-router', 'auto-beta-router', 'fusion', 'pareto-router'],
    models: { at: 'allowed_models[]', role: 'instead' },
  },
]

/** OpenRouter's tools, in chats and responses. */
export const openRouterTools: readonly BodyRow[] = [
  {
    ruling: 'priced',
    source: `${openRouter}, "Web search" (server tool): 0.001 to 0.015 dollars a search with ten results, or the price of the provider; read 2026-11-29`,
    names: ['openrouter:web_search'],
    effect: 'searches',
  },
  {
    ruling: 'tokens',
    source: `${openRouter}, "Server tools": these cost their tokens; read 2026-11-29`,
    names: ['openrouter:datetime', 'openrouter:apply_patch', 'openrouter:tool_search', 'openrouter:experimental__search_models'],
  },
  {
    ruling: 'refused',
    source: `${openRouter}, "Server tools": these run other models, and the usage does not tell theirs apart; read 2026-11-29`,
    names: ['openrouter:advisor', 'openrouter:image_generation', 'openrouter:subagent', 'openrouter:fusion'],
    models: { at: 'parameters.model', role: 'beside' },
    effect: 'anything',
  },
  {
    ruling: 'refused',
    source: `${openRouter}, "Web fetch" (server tool): a dollar for 1000 pages of some engines, which no answer counts; read 2026-11-29`,
    names: ['openrouter:web_fetch'],
  },
  {
    ruling: 'refused',
    source: `${openRouter}, "Shell", "Bash" and "Files": no page says what a container costs, and files are those of the account; read 2026-11-29`,
    names: ['openrouter:shell', 'openrouter:bash', 'openrouter:files'],
    effect: 'anything',
  },
]

const webSearches = 'Anthropic, "Pricing", "Web search tool": 10 dollars for 1000, `server_tool_use.web_search_requests`; read 2026-11-29'

/** Anthropic's tools, which clients of every protocol may send to its models. */
export const anthropicTools: readonly BodyRow[] = [
  {
    ruling: 'tokens',
    source:
      'Anthropic, "Tool use", "Pricing": tools that the client runs cost their tokens; its SDK for TypeScript 1.14.0; read 2026-11-29',
    names: ['bash', 'text_editor', 'computer', 'memory', 'browser_toolset', 'computer_toolset'],
    anyDate: true,
    isSeen: true,
  },
  {
    ruling: 'tokens',
    source: 'Anthropic, "Tool search tool": its tokens; its SDK for TypeScript 1.14.0; read 2026-11-29',
    names: ['tool_search_tool_bm25', 'tool_search_tool_bm25_20251119', 'tool_search_tool_regex', 'tool_search_tool_regex_20251119'],
    isSeen: true,
  },
  {
    ruling: 'tokens',
    source: 'Anthropic, "MCP connector": its tokens; its SDK for TypeScript 1.14.0; read 2026-11-29',
    names: ['mcp_toolset'],
  },
  {
    ruling: 'tokens',
    source: 'Anthropic, "Pricing", "Web fetch tool": no charge beyond the tokens; read 2026-11-29',
    names: ['web_fetch_20250910'],
  },
  {
    ruling: 'tokens',
    source: 'Anthropic, "Pricing", "Web fetch tool" and "Code execution tool": neither has a charge beyond the tokens; read 2026-11-29',
    names: ['web_fetch_20260209', 'web_fetch_20260309', 'web_fetch_20260318'],
    freesCode: true,
  },
  {
    ruling: 'priced',
    source:
      'Anthropic, "Pricing", "Code execution tool": free beside a search or a fetch, else beyond 1,550 hours of a month 0.05 dollars an hour, at least five minutes; read 2026-11-29',
    names: ['code_execution_20250522', 'code_execution_20250825', 'code_execution_20260120', 'code_execution_20260521'],
    effect: 'containers',
  },
  {
    ruling: 'priced',
    source: webSearches,
    names: ['web_search_20250305'],
    effect: 'searches',
  },
  {
    ruling: 'priced',
    source: `${webSearches}; "Code execution tool": free beside these`,
    names: ['web_search_20260209', 'web_search_20260318'],
    effect: 'searches',
    freesCode: true,
  },
  {
    ruling: 'priced',
    source:
      'Anthropic, its API reference as of 2026-04-11 and its SDK for TypeScript 1.14.0: `usage.iterations` with the model of the advisor; read 2026-11-29',
    names: ['advisor_20260301'],
    models: { at: 'model', role: 'beside' },
  },
]
