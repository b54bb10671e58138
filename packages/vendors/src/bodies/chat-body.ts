import { type BodyRow, type BodyTable, inFallbacks } from './body-row.ts'
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
  { ruling: 'tier', source: 'OpenAI, "Priority processing" and "Flex processing", named 2026-11-29', names: ['service_tier'] },
  { ruling: 'priced', source: `${openai}; "Pricing", "Tools"`, names: ['web_search_options'], effect: 'searches' },
]

/** Members of single vendors. */
const own: readonly BodyRow[] = [
  {
    ruling: 'tokens',
    source: 'Anthropic, "Messages", "OpenAI SDK compatibility" and its SDK for TypeScript 1.14.0, read 2026-11-29',
    names: ['mcp_servers', 'context_management', 'cache_control', 'output_format', 'system', 'stop_sequences', 'diagnostics'],
  },
  { ruling: 'tier', source: 'Anthropic, "Fast mode" and "Data residency", named 2026-11-29', names: ['speed', 'inference_geo'] },
  { ruling: 'account', source: 'Anthropic, "Code execution tool", containers, named 2026-11-29', names: ['container'] },
  {
    ruling: 'priced',
    source: 'Anthropic, "Refusals and fallback": an iteration costs what its model costs; named 2026-11-29',
    names: ['fallbacks'],
    models: { at: inFallbacks, role: 'after' },
  },
  {
    ruling: 'tokens',
    source: 'Google, "OpenAI compatibility": `extra_body.google`; named 2026-11-29',
    names: ['extra_body', 'safety_settings'],
  },
  {
    ruling: 'priced',
    source: 'Alibaba Cloud Model Studio, "Web search"; Tencent Hunyuan, "ChatCompletions"; Baidu Qianfan, "Web search"; named 2026-11-29',
    names: ['enable_search', 'search_options', 'web_search', 'enable_enhancement', 'force_search_enhancement', 'search_info', 'citation'],
    effect: 'searches',
  },
  {
    ruling: 'tokens',
    source: 'API references of chats of Zhipu, Moonshot, Alibaba, Baidu, Tencent, ByteDance and iFlytek, named 2026-11-29',
    names: [
      ...['user_id', 'tool_stream', 'sensitive_word_check', 'result_format', 'vl_high_resolution_images', 'translation_options'],
      ...['stream_moderation', 'disable_search', 'enable_citation', 'mask_sensitive_info', 'partial', 'asr_options', 'meta'],
    ],
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
    source: 'xAI, "Live search": by the source, until it was shut down; named 2026-11-29',
    names: ['search_parameters'],
  },
  { ruling: 'refused', source: 'xAI, "Deferred chat completions": the answer is fetched later; named 2026-11-29', names: ['deferred'] },
  {
    ruling: 'refused',
    source:
      'Azure OpenAI, "On your data"; Groq, "Compound"; Mistral, "Guardrails"; Cohere, "Connectors"; Alibaba, "Code interpreter": no price here; named 2026-11-29',
    names: ['data_sources', 'compound_custom', 'guardrails', 'connectors', 'enable_code_interpreter'],
  },
]

const tools: readonly BodyRow[] = [
  { ruling: 'tokens', source: openai, names: ['function', 'custom', 'namespace'] },
  {
    ruling: 'priced',
    source: 'OpenAI, "Web search"; Zhipu, "Web search"; named 2026-11-29',
    names: ['web_search', 'web_search_2025_08_26', 'web_search_preview', 'web_search_preview_2025_03_11'],
    effect: 'searches',
  },
  { ruling: 'priced', source: 'Moonshot, "Pricing of tools", named 2026-11-29', names: ['$web_search'], effect: 'searches' },
  {
    ruling: 'priced',
    source: 'Gemini API, "Pricing", grounding with Google Search, named 2026-11-29',
    names: ['googleSearch', 'google_search'],
    effect: 'searches',
  },
  {
    ruling: 'tokens',
    source: 'Gemini API, "URL context" and "Code execution": their tokens; named 2026-11-29',
    names: ['urlContext', 'url_context', 'codeExecution', 'code_execution'],
  },
  {
    ruling: 'refused',
    source: 'Groq, "Built-in tools", by the visit and by the hour; Gemini API, "Pricing", Google Maps; named 2026-11-29',
    names: ['browser_search', 'code_interpreter', 'googleMaps', 'google_maps'],
    effect: 'anything',
  },
  { ruling: 'refused', source: 'Zhipu, "Knowledge base retrieval": stores of the account; named 2026-11-29', names: ['retrieval'] },
  ...openRouterTools,
  ...anthropicTools,
]

const google: readonly BodyRow[] = [
  { ruling: 'account', source: 'Gemini API, "Context caching", named 2026-11-29', names: ['cached_content', 'cachedContent'] },
  {
    ruling: 'tokens',
    source: 'Google, "OpenAI compatibility": `extra_body`; named 2026-11-29',
    names: ['thinking_config', 'thinkingConfig', 'safety_settings', 'safetySettings', 'thought_tag_marker', 'aspect_ratio'],
  },
]

/** Chats in OpenAI's form, with what other vendors of this form add. */
export const chatBody: BodyTable = {
  members: [...standard, ...own, ...openRouterMembers, ...liteLlmMembers, ...sampling, ...thinkingSwitches],
  inner: {
    ...liteLlmInner,
    provider: openRouterProvider,
    extra_body: [
      { ruling: 'tokens', source: 'Google, "OpenAI compatibility"; named 2026-11-29', names: ['google'] },
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
