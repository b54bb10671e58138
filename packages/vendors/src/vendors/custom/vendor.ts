import { bearer } from '../../core/auth.ts'
import type { Vendor } from '../../core/vendor.ts'
import { askDashboard } from '../../protocols/balances/shapes.ts'
import { gatewayFailures } from '../../protocols/compat/gateway-failures.ts'
import { selfHostedTimeouts } from '../../protocols/compat/self-hosted.ts'
import { everyKind } from '../../protocols/every-kind.ts'
import { openaiVideos } from '../../protocols/openai/videos.ts'
import { openaiVendor } from '../openai/vendor.ts'

const systemOnly = [{ rule: 'no-developer' }] as const

/**
 * Any OpenAI-compatible server. Nothing is dropped or renamed but a role: it is unknown which fields the server accepts. Functions in the form before
 * tools are sent as tools: the model servers that people run themselves (vLLM, SGLang, llama.cpp, LM Studio, Ollama) document tools alone.
 */
export const custom: Vendor = {
  type: 8,
  name: 'custom channel',
  nameZh: '自定义渠道',
  color: 'pink',
  undocumented: { why: 'own server' },
  group: 'self_hosted',
  dialects: everyKind,
  tasks: { videos: openaiVideos },
  optionalKinds: { responses: {} },
  routes: { baseUrl: null },
  auth: bearer,
  key: { isOptional: true, hint: 'sk-...' },
  askBalance: askDashboard,
  balance: { unit: '$' },
  chat: { streamUsage: true },
  // Gateways have it; other servers respond to that they have not.
  compactsResponses: true,
  isLegacyServer: true,
  timeouts: selfHostedTimeouts,
  models: {
    names: openaiVendor.models.names,

    // Templates of chats know no such role (BerriAI/litellm 32831, read 2026-11-29); servers of OpenAI's own models read both alike.
    rulesFor: () => systemOnly,
  },
  // Many such servers are gateways; others do not use these codes.
  failures: gatewayFailures,
}
