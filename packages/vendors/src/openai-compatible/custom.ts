import type { Vendor } from '../vendor.ts'
import { openaiVendor } from './openai.ts'

/** Any server that speaks OpenAI's protocol. Nothing is dropped or renamed: what it takes is not known. */
export const custom: Vendor = {
  type: 8,
  name: 'Custom channel',
  color: 'pink',
  speaks: { chat: 'openai' },
  baseUrl: null,
  auth: 'bearer',
  keyHint: 'sk-...',
  streamUsage: true,
  models: openaiVendor.models,
}
