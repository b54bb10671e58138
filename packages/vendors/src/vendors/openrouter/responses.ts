import type { ResponsesInterface } from '../../core/responses-interface.ts'

/** OpenRouter's own client, @openrouter/sdk 1.3 (`ResponsesRequest`: `store` may only be false), read 2026-11-25. Searches of its own go by chats. */
export const openrouterResponses: ResponsesInterface = {
  hosts: /^openrouter\.ai$/,
  path: '/api/v1/responses',
  models: /\//,
  tools: /^(?:function|custom|namespace)$/,
  efforts: /^(?:none|minimal|low|medium|high|xhigh|max)$/,
}
