import type { Vendor } from '../../core/vendor.ts'
import { anthropic } from '../../protocols/anthropic/dialect.ts'
import { anthropicBatches } from './batches.ts'

/**
 * Source: Anthropic API reference, "Messages" and "Models overview", read 2026-11-21. `seed`, `logit_bias` and the penalties, which only tune
 * sampling, have no equal there and are left out. Sonnet 4.5 ends on 2026-11-30, so it is not listed, and keeps its price; Opus 4.5
 * ends on 2027-01-22 (its SDK for TypeScript 1.14.0, deprecated models, read 2026-11-27).
 */
export const anthropicVendor: Vendor = {
  type: 14,
  name: 'Anthropic Claude',
  color: 'brown',
  docs: {
    page: 'https://platform.claude.com/docs/en/api/overview',
    // It lists what chats of OpenAI have and messages have not (a stored copy read 2026-11-27).
    chat: 'https://platform.claude.com/docs/en/cli-sdks-libraries/libraries/openai-sdk',
    // Stored copy read 2026-11-23.
    pages: { embeddings: 'https://platform.claude.com/docs/en/build-with-claude/embeddings' },
  },
  group: 'global',
  dialects: { chat: anthropic },
  readsClientLines: true,
  // Bedrock and Google Cloud take batches of Claude as files in stores of their own, which is another thing (aiwiki.ai, "Anthropic Batches
  // API", read 2026-11-25); of other hosts no page offers them.
  // Half the price of tokens, caches included ("Batch processing" and "Pricing", stored copies read 2026-11-25).
  batches: { factor: 0.5, dialect: anthropicBatches },
  routes: { baseUrl: 'https://api.anthropic.com' },
  auth: { header: 'x-api-key' },
  key: { hint: 'sk-ant-...', prefix: 'sk-ant-' },
  // "You are no longer billed for a request when it returns stop_reason refusal without Claude having generated any output" (release notes of the
  // Claude Platform, as quoted in 2026-11; of Bedrock and Google Cloud no page says it).
  freeRefusals: true,
  // A `fallback_message` in `usage.iterations` is there if and only if a fallback served the response (its SDK for TypeScript 1.14.0, read 2026-11-29).
  reportsFallbacks: true,
  models: {
    names: [
      'claude-opus-5-5',
      'claude-sonnet-5-5',
      'claude-haiku-5-5',
      'claude-fable-5-2',
      'claude-fable-5-1',
      'claude-opus-5',
      'claude-sonnet-5',
      'claude-fable-5',
      'claude-opus-4-8',
      'claude-opus-4-7',
      'claude-opus-4-6',
      'claude-sonnet-4-6',
      'claude-opus-4-5-20251101',
      'claude-opus-4-5',
      'claude-haiku-4-5-20251001',
      'claude-haiku-4-5',
    ],
  },
}
