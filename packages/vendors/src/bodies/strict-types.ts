/**
 * Vendors that bill by more than the tokens of the requested model, with the page that should say so (see `BodyRow.source`): a member or a tool without a row in
 * `body-tables.ts` does not reach them, unless the channel allows it by name. The same holds for channels of other types at their hosts (`strict-hosts.ts`). All others forward
 * what they do not know: servers that people run themselves (8, 22, 30, 43), whose owner decides, and vendors and resellers that bill the requested model alone.
 */
export const strictTypes: ReadonlyMap<number, string> = new Map([
  [1, 'OpenAI, "Pricing", "Tools", named 2026-11-29'],
  [3, 'Azure OpenAI, "Pricing", tools, named 2026-11-29'],
  [14, 'Anthropic, "Pricing", tools and advisors, named 2026-11-29'],
  [15, 'Baidu Qianfan, "Prices", web search, named 2026-11-29'],
  [16, 'Zhipu, "Pricing", tools, named 2026-11-29'],
  [17, 'Alibaba Cloud Model Studio, "Billing", plug-ins, named 2026-11-29'],
  [20, 'OpenRouter, "Server tools", "Plugins" and "Provider routing", named 2026-11-29'],
  [23, 'Tencent Hunyuan, "Billing", search enhancement, named 2026-11-29'],
  [24, 'Gemini API, "Pricing", grounding, named 2026-11-29'],
  [25, 'Moonshot, "Pricing of tools", named 2026-11-29'],
  [28, 'Mistral, "Pricing", connectors and tools, named 2026-11-29'],
  [29, 'Groq, "Pricing", built-in tools, named 2026-11-29'],
  [33, 'Amazon Bedrock, "Pricing", guardrails and tools, named 2026-11-29'],
  [35, 'Cohere, "Pricing", named 2026-11-29'],
  [40, 'ByteDance Ark, "Billing", plug-ins and content of web pages, named 2026-11-29'],
  [42, 'Vertex AI, "Pricing", grounding, named 2026-11-29'],
  [50, 'Gemini API, "Pricing", grounding, named 2026-11-29'],
])
