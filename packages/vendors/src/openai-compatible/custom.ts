import { bearer } from '../auth.ts'
import { balances } from '../balances/balances.ts'
import { everyKind } from '../every-kind.ts'
import { selfHostedTimeouts } from '../self-hosted.ts'
import type { Vendor } from '../vendor.ts'
import { gatewayFailures } from './gateway-failures.ts'
import { openaiVendor } from './openai.ts'

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
  tasks: { videos: 'openai' },
  optionalKinds: ['responses'],
  baseUrl: null,
  auth: bearer,
  isKeyOptional: true,
  keyHint: 'sk-...',
  askBalance: balances[8],
  balance: { unit: '$' },
  streamUsage: true,
  // Gateways have it; other servers answer that they have not.
  compactsResponses: true,
  isOfManyAges: true,
  timeouts: selfHostedTimeouts,
  models: openaiVendor.models,
  // Templates of chats know no such role (BerriAI/litellm 32831, read 2026-11-29); servers of OpenAI's own models read both alike.
  rulesFor: () => systemOnly,
  // Many such servers are gateways; others do not use these codes.
  failures: gatewayFailures,
}
