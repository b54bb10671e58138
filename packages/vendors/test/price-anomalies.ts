/** Prices that fail a check of the table, by model, each with the reason why it is right. */
type Reasons = Readonly<Record<string, string>>

/** Dated names with another price than the name without the date. */
export const otherThanAlias: Reasons = {
  'accounts/fireworks/models/deepseek-v4-pro-0813': 'Fireworks lists the newer release at another price.',
  'anthropic/claude-3.5-haiku-20241022': 'The dated name is OpenRouter, the plain one Replicate, which asks more.',
  'anthropic/claude-3.5-sonnet-20240620': 'The dated name is OpenRouter, the plain one Replicate, which asks more.',
  'command-r-08-2024': 'Cohere made the newer release cheaper; the plain name is the older one.',
  'command-r-plus-08-2024': 'Cohere made the newer release cheaper; the plain name is the older one.',
  'deepseek-ai/DeepSeek-V4-Flash-0731': 'DeepInfra lists the two releases at two prices.',
  'deepseek-ai/DeepSeek-V4-Pro-0813': 'The dated name is DeepInfra, the plain one Together.',
  'gpt-3.5-turbo-0301': 'An older model that never became cheaper.',
  'gpt-3.5-turbo-0613': 'An older model that never became cheaper.',
  'gpt-3.5-turbo-1106': 'An older model that never became cheaper.',
  'gpt-4o-2024-05-13': 'The first release keeps its first price.',
  'gpt-4o-audio-preview-2024-10-01': 'The first release keeps its first price of sound.',
  'gpt-4o-realtime-preview-2024-10-01': 'The first release keeps its first price of sound.',
  'mistral-large-2512': 'The plain name is the release of 2024 at Bedrock.',
  'mistral-large-latest': 'The plain name is the release of 2024 at Bedrock.',
  'mistralai/mistral-large-2512': 'OpenRouter lists the plain name as the release of 2024.',
  'moonshotai/kimi-k2-0905': 'The dated name is Novita, the plain one OpenRouter.',
  'openai/gpt-3.5-turbo-0613': 'An older model that never became cheaper.',
  'openai/gpt-4o-2024-05-13': 'The first release keeps its first price.',
  'qwen/qwen-plus-2025-07-28': 'OpenRouter lists no cache for the dated name.',
  'qwen/qwen3-235b-a22b-2507': 'A later model under nearly the same name.',
}

/** Input that costs more than 40 dollars per million, or less than 0.5 cents. */
export const outsideBand: Reasons = {
  '@cf/baai/bge-reranker-base': 'A small reranker; Cloudflare lists 0.003 dollars.',
  'cartesia/sonic': 'Speech, paid by the character.',
  'cartesia/sonic-2': 'Speech, paid by the character.',
  'cartesia/sonic-3': 'Speech, paid by the character.',
  'google/embeddinggemma-300m': 'A small model for embeddings; DeepInfra lists 0.002 dollars.',
  'gpt-4-32k': 'OpenAI asked 60 dollars until the end.',
  'gpt-4-32k-0314': 'OpenAI asked 60 dollars until the end.',
  'gpt-4-32k-0613': 'OpenAI asked 60 dollars until the end.',
  'gpt-4.5-preview': 'OpenAI asked 75 dollars until the end.',
  'gpt-4.5-preview-2025-02-27': 'OpenAI asked 75 dollars until the end.',
  'inworld-ai/realtime-tts-1.5-max': 'Speech, paid by the character.',
  'o1-pro': 'OpenAI asks 150 dollars.',
  'o1-pro-2025-03-19': 'OpenAI asks 150 dollars.',
  'openai/o1-pro': 'OpenAI asks 150 dollars.',
  'speech-2.6-turbo': 'Speech, paid by the character.',
  'speech-2.8-turbo': 'Speech, paid by the character.',
}

/** Output that is cheaper than input. */
export const cheapOutput: Reasons = {
  '@cf/meta/llama-guard-3-8b': 'A classifier, whose output is a word; Cloudflare lists 0.03 dollars for output.',
  'meta-llama/llama-guard-3-8b': 'A classifier, whose output is a word; OpenRouter lists 0.03 dollars for output.',
  'openai/gpt-5-image-mini': 'OpenRouter lists 2.50 dollars for input and 2 for text that comes out.',
}

/** Cache writes that are cheaper than input. */
export const cheapCacheWrite: Reasons = {
  'MiniMax-M2.1-highspeed': 'MiniMax asks the same for the cache at both speeds, and twice as much for input at this one.',
  'MiniMax-M2.5-highspeed': 'MiniMax asks the same for the cache at both speeds, and twice as much for input at this one.',
  'MiniMax-M2.7-highspeed': 'MiniMax asks the same for the cache at both speeds, and twice as much for input at this one.',
}

/** Free models without `:free` in their name. */
export const freeModels: Reasons = {
  'cohere-transcribe-03-2026': 'Cohere asks nothing for it by its API, within the limits of keys.',
  'omni-moderation-2024-09-26': 'OpenAI asks nothing for moderation.',
  'omni-moderation-latest': 'OpenAI asks nothing for moderation.',
  'text-moderation-007': 'OpenAI asks nothing for moderation.',
  'text-moderation-latest': 'OpenAI asks nothing for moderation.',
  'text-moderation-stable': 'OpenAI asks nothing for moderation.',
}
