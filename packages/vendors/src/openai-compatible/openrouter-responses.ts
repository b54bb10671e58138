import type { ResponsesInterface } from '../responses/responses-interface.ts'

/** OpenRouter, "Responses API Beta", read 2026-11-25: stateless, with functions; searches of its own go by chats. */
export const openrouterResponses: ResponsesInterface = {
  hosts: /^openrouter\.ai$/,
  path: '/api/v1/responses',
  models: /\//,
  tools: /^function$/,
  efforts: /^(?:minimal|low|medium|high)$/,
}
