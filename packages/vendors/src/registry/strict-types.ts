/**
 * Vendors that bill by more than the tokens of the requested model, with the page that should say so (see `BodyRow.source`): a member or a tool without a row in
 * `body-tables.ts` does not reach them, unless the channel allows it by name. The same holds for channels of other types at their hosts (`strict-hosts.ts`). All others forward
 * what they do not know: servers that people run themselves (8, 22, 30, 43), whose owner decides, and vendors and resellers that bill the requested model alone.
 */
export const strictTypes: ReadonlyMap<number, string> = new Map([
  [1, 'OpenAI, "Pricing", "Tools", a copy of 2026-07-15; read 2026-11-29'],
  [3, 'Azure OpenAI, "Pricing", tools, named 2026-11-29'],
  [14, 'Anthropic, "Pricing", tools, speed and regions; read 2026-11-29'],
  [15, 'Baidu Qianfan, "Prices", web search, named 2026-11-29'],
  [16, 'Zhipu, "Web search", prices of its engines as clients of 2026 quote them; read 2026-11-29'],
  [17, 'Alibaba Cloud Model Studio, "Web search", a copy of 2026: searches of the web and of pictures; read 2026-11-29'],
  [20, 'OpenRouter, "Server tools", "Plugins" and "Provider routing", its documentation as of 2026-08-22; read 2026-11-29'],
  [23, 'Tencent Hunyuan, "Billing", search enhancement, named 2026-11-29'],
  [24, 'Gemini API, "Pricing", grounding and stores, copies of 2026; read 2026-11-29'],
  [25, 'Kimi, "Web search", a stored copy; read 2026-11-29'],
  [28, 'Mistral, its OpenAPI file of 2026-08: chats have tools of its agents; its prices named 2026-11-29'],
  [29, 'Groq, "Compound", built-in tools, a stored copy; read 2026-11-29'],
  [32, 'StepFun, "Pricing" of 2026-10-07: by the search; read 2026-11-24'],
  [33, 'Amazon Bedrock, "Pricing", guardrails, as clients of 2026 quote it: by the policy and 1000 characters; read 2026-11-29'],
  [35, 'Cohere, "Pricing", named 2026-11-29'],
  [36, 'DeepSeek, "Models & Pricing", a copy of October 2026: searches and fetched pages; read 2026-11-25'],
  [40, 'ByteDance Ark, "Billing", plug-ins and content of web pages, named 2026-11-29'],
  [42, 'Vertex AI, "Pricing", grounding, copies of 2026; read 2026-11-29'],
  [50, 'Gemini API, "Pricing", grounding and stores, copies of 2026; read 2026-11-29'],
])
