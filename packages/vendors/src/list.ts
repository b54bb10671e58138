import { anthropicVendor } from './anthropic/vendor.ts'
import { bedrockVendor } from './bedrock/vendor.ts'
import { cohereVendor } from './cohere/vendor.ts'
import { cozeVendor } from './coze/vendor.ts'
import { deeplVendor } from './deepl/vendor.ts'
import { nano } from './gemini/nano.ts'
import { geminiVendor } from './gemini/vendor.ts'
import { ollamaVendor } from './ollama/vendor.ts'
import { lingyiwanwu } from './openai-compatible/01-ai.ts'
import { zhinao } from './openai-compatible/360-zhinao.ts'
import { alibaba } from './openai-compatible/alibaba.ts'
import { azure } from './openai-compatible/azure.ts'
import { baichuan } from './openai-compatible/baichuan.ts'
import { baidu } from './openai-compatible/baidu.ts'
import { doubao } from './openai-compatible/bytedance.ts'
import { cloudflare } from './openai-compatible/cloudflare.ts'
import { custom } from './openai-compatible/custom.ts'
import { deepseek } from './openai-compatible/deepseek.ts'
import { fastgpt } from './openai-compatible/fastgpt.ts'
import { groq } from './openai-compatible/groq.ts'
import { iflytek } from './openai-compatible/iflytek.ts'
import { minimax } from './openai-compatible/minimax.ts'
import { mistral } from './openai-compatible/mistral.ts'
import { moonshot } from './openai-compatible/moonshot.ts'
import { novita } from './openai-compatible/novita.ts'
import { openaiVendor } from './openai-compatible/openai.ts'
import { openrouter } from './openai-compatible/openrouter.ts'
import { resellers } from './openai-compatible/resellers.ts'
import { stepfun } from './openai-compatible/stepfun.ts'
import { tencent } from './openai-compatible/tencent.ts'
import { together } from './openai-compatible/together.ts'
import { zhipu } from './openai-compatible/zhipu.ts'
import { googlePalm2 } from './palm/google-palm2.ts'
import { proxyVendor } from './proxy/vendor.ts'
import { aiProxyLibraryVendor } from './proxy-library/vendor.ts'
import type { Vendor } from './vendor.ts'
import { vertexAiVendor } from './vertexai/vendor.ts'

/** Every vendor, in the order in which the channel form offers them. */
export const vendors: readonly Vendor[] = [
  openaiVendor,
  azure,
  anthropicVendor,
  geminiVendor,
  vertexAiVendor,
  mistral,
  bedrockVendor,
  groq,
  cohereVendor,
  together,
  novita,
  cloudflare,
  deeplVendor,
  googlePalm2,
  deepseek,
  moonshot,
  doubao,
  alibaba,
  zhipu,
  baidu,
  tencent,
  minimax,
  iflytek,
  stepfun,
  baichuan,
  lingyiwanwu,
  zhinao,
  cozeVendor,
  openrouter,
  ...resellers,
  aiProxyLibraryVendor,
  nano,
  fastgpt,
  custom,
  ollamaVendor,
  proxyVendor,
]

const byType: ReadonlyMap<number, Vendor> = new Map(vendors.map((vendor) => [vendor.type, vendor]))

/** `null` = unknown channel type. */
export function vendorByType(type: number): Vendor | null {
  return byType.get(type) ?? null
}
