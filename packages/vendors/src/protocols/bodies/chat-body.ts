import { type BodyRow, type BodyTable, inFallbacks } from './body-row.ts'
import { contextCaching, fallbackCosts, fastAndRegional, geminiMaps, geminiTokens, grounding, liveSearch, tiers } from './pages.ts'
import {
  anthropicTools,
  liteLlmInner,
  liteLlmMembers,
  liteLlmRows,
  openRouterMembers,
  openRouterPlugins,
  openRouterProvider,
  openRouterTools,
  sampling,
  thinkingSwitches,
} from './shared-rows.ts'

const openai = 'OpenAI API reference, "Create chat completion", and its SDK for TypeScript 7.59.0; read 2026-11-29'

const compatible = 'Google, "OpenAI compatibility": `extra_body.google`, as a thread of its forum and clients quote it; read 2026-11-29'

const standard: readonly BodyRow[] = [
  {
    ruling: 'tokens',
    source: openai,
    names: [
      ...[
        'messages',
        'model',
        'audio',
        'frequency_penalty',
        'function_call',
        'functions',
        'logit_bias',
        'logprobs',
        'max_completion_tokens',
      ],
      ...['max_tokens', 'metadata', 'modalities', 'moderation', 'n', 'parallel_tool_calls', 'prediction', 'presence_penalty', 'verbosity'],
      ...[
        'prompt_cache_key',
        'prompt_cache_options',
        'prompt_cache_retention',
        'response_format',
        'safety_identifier',
        'seed',
        'stop',
        'store',
      ],
      ...['stream', 'stream_options', 'temperature', 'tool_choice', 'tools', 'top_logprobs', 'top_p', 'user'],
    ],
  },
  { ruling: 'tier', source: tiers, names: ['service_tier'] },
  { ruling: 'priced', source: `${openai}; "Pricing", "Tools"`, names: ['web_search_options'], effect: 'searches' },
]

/** Members of single vendors. */
const own: readonly BodyRow[] = [
  {
    ruling: 'tokens',
    source: 'Anthropic, "Messages", "OpenAI SDK compatibility" and its SDK for TypeScript 1.14.0, read 2026-11-29',
    names: ['mcp_servers', 'context_management', 'cache_control', 'output_format', 'system', 'stop_sequences', 'diagnostics'],
  },
  { ruling: 'tier', source: fastAndRegional, names: ['speed', 'inference_geo'] },
  {
    ruling: 'account',
    source: 'Anthropic, its SDK for TypeScript 1.14.0: its id is used again by later requests; read 2026-11-29',
    names: ['container'],
  },
  {
    ruling: 'priced',
    source: fallbackCosts,
    names: ['fallbacks'],
    models: { at: inFallbacks, role: 'after' },
  },
  {
    ruling: 'tokens',
    source: compatible,
    names: ['extra_body', 'safety_settings'],
  },
  {
    ruling: 'priced',
    source: 'Alibaba Cloud Model Studio, "Web search", a copy of 2026: by the search, 4 yuan for 1000 in Beijing; read 2026-11-29',
    names: ['enable_search', 'search_options'],
    effect: 'searches',
  },
  {
    ruling: 'priced',
    source: 'Tencent Hunyuan, "ChatCompletions", and its SDK for Node.js 4.1.188: they switch the search on; read 2026-11-29',
    names: ['enable_enhancement', 'force_search_enhancement', 'search_info', 'citation', 'enable_speed_search'],
    effect: 'searches',
  },
  {
    ruling: 'priced',
    source:
      'Baidu Qianfan, "Web search", a copy of 2025-09-12, and "Tokens of prompts": 0.008 yuan for an answer that searched; read 2026-11-29',
    names: ['web_search'],
    effect: 'searches',
  },
  {
    ruling: 'tokens',
    source:
      'SDKs of Zhipu 0.2.3 and of Alibaba 2.0.2 for Python and of Tencent 4.1.188 for Node.js; Baidu, "ERNIE Bot"; Qwen and MiniMax, in a list of members of 2026-08-11; read 2026-11-29',
    names: [
      ...['user_id', 'tool_stream', 'sensitive_word_check', 'watermark_enabled', 'meta', 'result_format', 'vl_high_resolution_images'],
      ...['translation_options', 'stream_moderation', 'disable_search', 'enable_citation', 'mask_sensitive_info'],
    ],
  },
  {
    ruling: 'tokens',
    source: 'API references of chats of Moonshot, Alibaba and ByteDance, named 2026-11-29',
    names: ['partial', 'asr_options'],
  },
  {
    ruling: 'tokens',
    source: 'Mistral API and its SDK for TypeScript 2.7.0; Cohere API v2 and its SDK 8.1.0; Groq API reference; read 2026-11-29',
    names: [
      ...['safe_prompt', 'documents', 'citation_options', 'strict_tools', 'safety_mode', 'k', 'p', 'priority', 'disable_tool_validation'],
      ...['search_settings', 'include_domains', 'exclude_domains', 'user_security_context', 'prefix'],
    ],
  },
  {
    ruling: 'tokens',
    source: 'The AI SDK for Mistral 3.0.69: most pages and pictures that are read of documents; read 2026-11-29',
    names: ['document_image_limit', 'document_page_limit'],
  },
  {
    ruling: 'tokens',
    source:
      'Perplexity, "Create Chat Completion": its fee is that of the request and of `web_search_options`; a stored copy read 2026-11-29',
    names: [
      ...['search_mode', 'search_domain_filter', 'search_recency_filter', 'search_language_filter', 'search_after_date_filter'],
      ...['search_before_date_filter', 'last_updated_after_filter', 'last_updated_before_filter', 'return_images'],
      ...['return_related_questions', 'enable_search_classifier', 'image_domain_filter', 'image_format_filter', 'stream_mode'],
      ...['language_preference'],
    ],
  },
  {
    ruling: 'refused',
    source: liveSearch,
    names: ['search_parameters'],
  },
  {
    ruling: 'refused',
    source: 'xAI, "Deferred chat completions": the answer is fetched later by a `request_id`; read 2026-11-29',
    names: ['deferred'],
  },
  {
    ruling: 'refused',
    source:
      'Groq, "Compound", a stored copy: 5 or 8 dollars for 1000 searches, 1 for 1000 pages, 0.18 an hour of code, 0.08 of a browser; read 2026-11-29',
    names: ['compound_custom'],
  },
  {
    ruling: 'refused',
    source: 'Alibaba Cloud Model Studio, "Code interpreter", a copy of 2026: free "for a limited time"; read 2026-11-29',
    names: ['enable_code_interpreter'],
  },
  {
    ruling: 'refused',
    source: 'Mistral, its OpenAPI file of 2026-08: other models judge the texts, and no page says at what price; read 2026-11-29',
    names: ['guardrails'],
  },
  {
    ruling: 'refused',
    source: 'Azure OpenAI, "On your data"; Cohere, "Connectors" (ended 2025-09-15): no price here; named 2026-11-29',
    names: ['data_sources', 'connectors'],
  },
]

const tools: readonly BodyRow[] = [
  { ruling: 'tokens', source: openai, names: ['function', 'custom', 'namespace'], isSeen: true },
  {
    ruling: 'priced',
    source:
      'OpenRouter, its OpenAPI file of 2026-08 (short for `openrouter:web_search`); Zhipu, "Web search", prices of engines as clients of 2026 quote them; read 2026-11-29',
    names: ['web_search', 'web_search_2025_08_26', 'web_search_preview', 'web_search_preview_2025_03_11'],
    effect: 'searches',
  },
  {
    ruling: 'priced',
    source: 'Kimi, "Web search", a stored copy: 0.03 yuan a call; read 2026-11-29',
    names: ['$web_search'],
    effect: 'searches',
  },
  {
    ruling: 'priced',
    source: `${geminiTokens}; xAI, "Pricing", "Tools Pricing": 5 dollars for 1000 runs; read 2026-11-29`,
    names: ['code_execution'],
    effect: 'containers',
  },
  {
    ruling: 'priced',
    source: grounding,
    names: ['googleSearch', 'google_search'],
    effect: 'searches',
  },
  {
    ruling: 'tokens',
    source: geminiTokens,
    names: ['urlContext', 'url_context', 'codeExecution'],
  },
  {
    ruling: 'refused',
    source: 'Groq, "Built-in tools" and "Compound", stored copies: by the visit and by the hour, which no answer counts; read 2026-11-29',
    names: ['browser_search', 'code_interpreter'],
    effect: 'anything',
  },
  { ruling: 'refused', source: geminiMaps, names: ['googleMaps', 'google_maps'], effect: 'anything' },
  {
    ruling: 'refused',
    source: 'Mistral, "Pricing", connectors by the call and images by the piece, and libraries of the account; named 2026-11-29',
    names: ['web_search_premium', 'image_generation', 'document_library', 'connector'],
    effect: 'anything',
  },
  { ruling: 'refused', source: 'Zhipu, "Knowledge base retrieval": stores of the account; named 2026-11-29', names: ['retrieval'] },
  ...openRouterTools,
  ...anthropicTools,
]

const google: readonly BodyRow[] = [
  { ruling: 'account', source: contextCaching, names: ['cached_content', 'cachedContent'] },
  {
    ruling: 'tokens',
    source: `${compatible}: settings of thinking and of safety, and the mark of thoughts`,
    names: ['thinking_config', 'thinkingConfig', 'safety_settings', 'safetySettings', 'thought_tag_marker'],
  },
  { ruling: 'tokens', source: 'Google, "OpenAI compatibility": `extra_body`; named 2026-11-29', names: ['aspect_ratio'] },
]

/** Chats in OpenAI's form, with what other vendors of this form add. */
export const chatBody: BodyTable = {
  members: [...standard, ...own, ...openRouterMembers, ...liteLlmMembers, ...sampling, ...thinkingSwitches],
  inner: {
    ...liteLlmInner,
    provider: openRouterProvider,
    extra_body: [
      { ruling: 'tokens', source: compatible, names: ['google'] },
      {
        ruling: 'refused',
        source: 'LiteLLM, "Provider-specific params": sent on to the vendor; OpenRouter, "Model fallbacks"; named 2026-11-29',
        names: ['models'],
        models: { at: inFallbacks, role: 'instead' },
      },
      ...liteLlmRows,
    ],
    'extra_body.google': google,
  },
  lists: { tools: { by: 'type', rows: tools }, plugins: { by: 'id', rows: openRouterPlugins } },
}
