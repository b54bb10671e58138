import { type BodyRow, type BodyTable, inFallbacks } from './body-row.ts'
import { anthropicTools, liteLlmInner, liteLlmMembers } from './shared-rows.ts'

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
    source: 'Anthropic, "Compaction": its iterations are counted; named 2026-11-29',
    names: ['compaction', 'context_management'],
  },
  { ruling: 'tokens', source: 'Anthropic, "MCP connector": no charge beyond the tokens; named 2026-11-29', names: ['mcp_servers'] },
  {
    ruling: 'tokens',
    source: 'Anthropic, "Fallback credit": such a request costs less; named 2026-11-29',
    names: ['fallback_credit_token'],
  },
  {
    ruling: 'tokens',
    source: 'Claude on Vertex AI and on Bedrock, named 2026-11-29; members of these services in bodies',
    names: ['anthropic_version', 'anthropic_beta', 'betas'],
  },
  {
    ruling: 'tier',
    source: 'Anthropic, "Service tiers", "Fast mode" and "Data residency", named 2026-11-29',
    names: ['service_tier', 'speed', 'inference_geo'],
  },
  { ruling: 'account', source: 'Anthropic, "Code execution tool", containers, named 2026-11-29', names: ['container'] },
  {
    ruling: 'priced',
    source: 'Anthropic, "Refusals and fallback": an iteration costs what its model costs; named 2026-11-29',
    names: ['fallbacks'],
    models: { at: inFallbacks, role: 'after' },
  },
  { ruling: 'refused', source: `${anthropic}: another organization pays`, names: ['billing_policy', 'user_profile_id', 'workspace_id'] },
  { ruling: 'refused', source: `${anthropic}: conversations that the vendor keeps by their ids`, names: ['thread'] },
  {
    ruling: 'tokens',
    source: 'Messages of DeepSeek, Moonshot, Zhipu, MiniMax and OpenRouter, named 2026-11-29',
    names: ['reasoning_effort', 'tool_stream', 'enable_thinking', 'user'],
  },
]

const tools: readonly BodyRow[] = [{ ruling: 'tokens', source: anthropic, names: ['custom'] }, ...anthropicTools]

/** Anthropic's messages. */
export const messagesBody: BodyTable = {
  members: [...members, ...liteLlmMembers],
  inner: liteLlmInner,
  lists: { tools: { by: 'type', rows: tools } },
}
