import { bearer } from '../../core/auth.ts'
import { asNumber } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { unsupportedByKind } from '../../core/unsupported.ts'
import type { Vendor } from '../../core/vendor.ts'
import { selfHostedTimeouts } from '../../protocols/compat/self-hosted.ts'
import { completions } from '../../protocols/openai/completions.ts'
import { openai } from '../../protocols/openai/dialect.ts'
import { images } from '../../protocols/openai/images.ts'
import { embeddings } from '../../protocols/openai/unstreamed-kinds.ts'
import { responses } from '../../protocols/responses/native.ts'
import { ollama, ollamaEmbeddings } from './chat.ts'

/**
 * Source: github.com/ollama/ollama, `docs/api.md` and `docs/openai.md`, stored copies of August 2026, read 2026-11-22. Its own interface is
 * used, because only that one has levels of thinking and the settings of a model; a base URL that ends in `/v1` calls the one in OpenAI's
 * form, which ignores `tool_choice`, `logit_bias`, `n` and, in older versions, `logprobs`. Images are at the latter alone ("OpenAI compatibility", read 2026-11-28). `logit_bias`, which only tunes sampling, is left out in both.
 */
export const ollamaVendor: Vendor = {
  type: 30,
  name: 'Ollama',
  color: 'grey',
  docs: {
    page: 'https://docs.ollama.com/api',
    chat: 'https://docs.ollama.com/api/openai-compatibility',
    // It runs on the operator's own machine, so nobody lists what an image costs.
    otherModels: ['x/z-image-turbo'],
  },
  group: 'self_hosted',
  dialects: { chat: ollama, embeddings: ollamaEmbeddings, images: images },
  routes: { baseUrl: null },
  variant({ baseUrl }) {
    if (!/\/v1\/?$/.test(baseUrl)) return null
    const dialects = { chat: openai, completions: completions, embeddings: embeddings, images: images, responses: responses } as const
    return { dialects, chat: { streamUsage: true, drop: ['logit_bias'], lacks: ['web search'] } }
  },
  auth: bearer,
  key: { isOptional: true, hint: 'key of ollama.com, or empty', hintZh: 'ollama.com 的密钥，可留空' },
  chat: { lacks: ['files in', 'audio in', 'videos in', 'web search'] },
  unsupported: unsupportedByKind({ images: imageRefused }),
  embeddingInputs: { isTextOnly: true },
  timeouts: selfHostedTimeouts,
  models: {
    names: [
      'gpt-oss:latest',
      'qwen3:latest',
      'gemma3:latest',
      'llama3.3:latest',
      'llama3.2:latest',
      'llama3.1:latest',
      'deepseek-r1:latest',
      'mistral:latest',
      'qwen2.5-coder:latest',
      'qwen2.5:latest',
      'phi3:latest',
      'nomic-embed-text:latest',
    ],
  },
}

/** It generates one image, and returns its bytes. */
function imageRefused({ n, response_format: form, background }: JsonObject): string | null {
  if (asNumber(n ?? 1) > 1) return 'n'
  if (form === 'url') return 'response_format'
  return background === 'transparent' ? 'background' : null
}
