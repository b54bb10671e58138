import { type BodyRow, type BodyTable, inFallbacks } from './body-row.ts'
import { fallbackCosts, fastAndRegional } from './pages.ts'
import {
  anthropicTools,
  liteLlmInner,
  liteLlmMembers,
  openRouterMembers,
  openRouterPlugins,
  openRouterProvider,
  openRouterTools,
} from './shared-rows.ts'

const anthropic = 'Anthropic API, "Create a Message", and its SDK for TypeScript 1.14.0, also its beta; read 2026-11-29'

const members: readonly BodyRow[] = [
  {
    ruling: 'tokens',
    source: anthropic,
    names: [
      ...['max_tokens', 'messages', 'model', 'cache_control', 'metadata', 'output_config', 'output_format', 'stop_sequences', 'stream'],
      ...['system', 'temperature', 'thinking', 'tool_choice', 'tools', 'top_k', 'top_p', 'diagnostics'],
    ],
  },
  {
    ruling: 'tokens',
    source: 'Anthropic, "Compaction", and its SDK for TypeScript 1.14.0: `usage.iterations` counts it, the totals do not; read 2026-11-29',
    names: ['compaction', 'context_management'],
  },
  { ruling: 'tokens', source: `${anthropic}; "Pricing" has no charge for MCP servers`, names: ['mcp_servers'] },
  {
    ruling: 'tokens',
    source: 'Anthropic, "Fallback credit": the cache of the second model costs what reading it does; read 2026-11-29',
    names: ['fallback_credit_token'],
  },
  {
    ruling: 'tokens',
    source: 'Anthropic, "Claude on Vertex AI"; `betas` as Claude Code sends it, in a list of members of 2026-08-11; read 2026-11-29',
    names: ['anthropic_version', 'anthropic_beta', 'betas'],
  },
  {
    ruling: 'tier',
    source: `${anthropic}: priority capacity is what the account has bought, and it may be ruled out`,
    names: ['service_tier'],
  },
  { ruling: 'tier', source: fastAndRegional, names: ['speed', 'inference_geo'] },
  { ruling: 'account', source: `${anthropic}: its id is used again by later requests`, names: ['container'] },
  {
    ruling: 'priced',
    source: fallbackCosts,
    names: ['fallbacks'],
    models: { at: inFallbacks, role: 'after' },
  },
  { ruling: 'refused', source: `${anthropic}: another organization pays`, names: ['billing_policy', 'user_profile_id', 'workspace_id'] },
  { ruling: 'refused', source: `${anthropic}: conversations that the vendor keeps by their ids`, names: ['thread'] },
  {
    ruling: 'tokens',
    source: 'Messages of DeepSeek, Moonshot, Zhipu and MiniMax, named 2026-11-29',
    names: ['reasoning_effort', 'tool_stream', 'enable_thinking'],
  },
  { ruling: 'tokens', source: 'OpenRouter, its OpenAPI file of 2026-08, "Messages"; read 2026-11-29', names: ['user'] },
]

const tools: readonly BodyRow[] = [
  { ruling: 'tokens', source: anthropic, names: ['custom'], isSeen: true },
  ...anthropicTools,
  ...openRouterTools,
]

/** Anthropic's messages, with what OpenRouter adds. */
export const messagesBody: BodyTable = {
  members: [...members, ...openRouterMembers, ...liteLlmMembers],
  inner: { ...liteLlmInner, provider: openRouterProvider },
  lists: { tools: { by: 'type', rows: tools }, plugins: { by: 'id', rows: openRouterPlugins } },
}
