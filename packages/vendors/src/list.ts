import { anthropicVendor } from './anthropic/vendor.ts'
import { nano } from './gemini/nano.ts'
import { geminiVendor } from './gemini/vendor.ts'
import { custom } from './openai-compatible/custom.ts'
import { deepseek } from './openai-compatible/deepseek.ts'
import { groq } from './openai-compatible/groq.ts'
import { openaiVendor } from './openai-compatible/openai.ts'
import { proxyVendor } from './proxy/vendor.ts'
import type { Vendor } from './vendor.ts'

/** Every vendor, in the order in which the channel form offers them. */
export const vendors: readonly Vendor[] = [openaiVendor, anthropicVendor, geminiVendor, groq, deepseek, nano, custom, proxyVendor]

const byType: ReadonlyMap<number, Vendor> = new Map(vendors.map((vendor) => [vendor.type, vendor]))

/** `null` = unknown channel type. */
export function vendorByType(type: number): Vendor | null {
  return byType.get(type) ?? null
}
