import type { Vendor } from '../vendor.ts'
import { developerToSystem } from './system-role.ts'

/** Source: DeepSeek API docs, "Create chat completion", read 2026-11-21. */
export const deepseek: Vendor = {
  type: 36,
  name: 'DeepSeek',
  color: 'blue',
  speaks: { chat: 'openai' },
  baseUrl: 'https://api.deepseek.com',
  auth: 'bearer',
  keyHint: 'sk-...',
  drop: ['top_k', 'seed', 'n', 'logit_bias'],
  rename: { max_completion_tokens: 'max_tokens' },
  streamUsage: true,
  models: ['deepseek-v4-pro', 'deepseek-v4-flash', 'deepseek-v4-flash-vision-exp', 'deepseek-chat', 'deepseek-reasoner'],
  patch: developerToSystem,
}
