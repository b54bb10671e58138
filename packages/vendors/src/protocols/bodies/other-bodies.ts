import type { BodyRow, BodyTable } from './body-row.ts'
import { tiers } from './pages.ts'
import { liteLlmInner, liteLlmRows, openRouterMembers, openRouterProvider, sampling, thinkingSwitches } from './shared-rows.ts'

const sdk = 'and its SDK for TypeScript 7.59.0; read 2026-11-29'

const rows = (source: string, names: readonly string[]): BodyRow => ({ ruling: 'tokens', source, names })

const tier: BodyRow = { ruling: 'tier', source: tiers, names: ['service_tier'] }

/** OpenRouter has its `provider` in every call. */
const provider: BodyRow = rows('OpenRouter, its OpenAPI file of 2026-08: embeddings, reranks, images and sound have it; read 2026-11-29', [
  'provider',
])
const inner = { ...liteLlmInner, provider: openRouterProvider }

export const completionsBody: BodyTable = {
  members: [
    rows(`OpenAI API reference, "Completions", ${sdk}`, [
      ...['model', 'prompt', 'best_of', 'echo', 'frequency_penalty', 'logit_bias', 'logprobs', 'max_tokens', 'n', 'presence_penalty'],
      ...[
        'seed',
        'stop',
        'stream',
        'stream_options',
        'suffix',
        'temperature',
        'top_p',
        'user',
        'metadata',
        'response_format',
        'prompt_cache_key',
      ],
    ]),
    tier,
    ...openRouterMembers,
    ...liteLlmRows,
    ...sampling,
    ...thinkingSwitches,
  ],
  inner,
}

export const editsBody: BodyTable = {
  members: [
    rows('OpenAI API reference, "Edits", named 2026-11-29', ['model', 'input', 'instruction', 'n', 'temperature', 'top_p']),
    ...liteLlmRows,
  ],
  inner,
}

export const embeddingsBody: BodyTable = {
  members: [
    rows(`OpenAI API reference, "Create embeddings", ${sdk}`, ['input', 'model', 'dimensions', 'encoding_format', 'user']),
    rows('Cohere and Mistral, their OpenAPI files of 2026-08; OpenRouter, its OpenAPI file; read 2026-11-29', [
      ...['input_type', 'truncate', 'embedding_types', 'output_dtype', 'output_dimension', 'metadata', 'priority', 'inputs'],
    ]),
    rows('Jina, as its clients of 2026 call it, and the SDK of Alibaba 2.0.2 for Python; read 2026-11-29', [
      ...['task', 'late_chunking', 'text_type'],
    ]),
    rows('API references of embeddings of Alibaba, Google and Jina; vLLM; named 2026-11-29', [
      ...['task_type', 'instruction', 'normalized', 'truncate_prompt_tokens', 'title'],
    ]),
    provider,
    ...liteLlmRows,
  ],
  inner,
}

export const moderationsBody: BodyTable = {
  members: [rows(`OpenAI API reference, "Create moderation", ${sdk}`, ['input', 'model', 'metadata']), ...liteLlmRows],
  inner,
}

export const rerankBody: BodyTable = {
  members: [
    rows('Cohere, its OpenAPI file of 2026-08, and OpenRouter, its OpenAPI file; read 2026-11-29', [
      ...['model', 'query', 'documents', 'top_n', 'max_tokens_per_doc', 'priority'],
    ]),
    rows('API references of rerank of Jina, Voyage, Alibaba and older versions of Cohere, named 2026-11-29', [
      ...['top_k', 'return_documents', 'max_chunks_per_doc', 'rank_fields', 'instruct', 'instruction', 'raw_scores', 'truncate'],
      ...['truncation', 'return_raw_scores', 'overlap_tokens', 'user'],
    ]),
    provider,
    ...liteLlmRows,
  ],
  inner,
}

/** What an image costs is its model, `size`, `quality` and `n`, or the tokens that the response counts. */
const imageMembers: readonly BodyRow[] = [
  rows(`OpenAI API reference, "Create image" and "Create image edit", ${sdk}`, [
    ...['prompt', 'background', 'complexity', 'frame_count', 'frame_duration_ms', 'model', 'moderation', 'n', 'output_compression'],
    ...['output_format', 'partial_images', 'quality', 'response_format', 'safety_identifier', 'size', 'stream', 'style', 'svg', 'user'],
    ...['image', 'images', 'input_fidelity', 'markup', 'mask'],
  ]),
  rows('OpenRouter, its OpenAPI file of 2026-08: the size and the pictures that are sent are parts of its price; read 2026-11-29', [
    ...['aspect_ratio', 'resolution', 'seed', 'input_references'],
  ]),
  rows('Zhipu, Alibaba, ByteDance, StepFun and iFlytek, their image calls; named 2026-11-29', [
    ...['negative_prompt', 'guidance_scale', 'cfg_scale', 'num_inference_steps', 'steps', 'strength'],
    ...['watermark', 'watermark_enabled', 'prompt_extend', 'user_id', 'request_id', 'style_reference', 'text_mode', 'image_url'],
    ...['revise', 'add_watermark'],
  ]),
  {
    ruling: 'refused',
    source:
      'ByteDance, "Seedream", as clients of 2026 quote it: up to fifteen images at once, and one with `disabled`, which its examples send; read 2026-11-29',
    names: ['sequential_image_generation'],
    effect: 'images',
    off: 'disabled',
  },
  // The first bounds a number of images that only the member above allows; the second is how the prompt is improved.
  rows('ByteDance, "Seedream", as clients of 2026 quote it; read 2026-11-29', [
    'sequential_image_generation_options',
    'optimize_prompt_options',
  ]),
  provider,
  ...liteLlmRows,
]

export const imagesBody: BodyTable = { members: imageMembers, inner }

export const speechBody: BodyTable = {
  members: [
    rows(`OpenAI API reference, "Create speech", ${sdk}`, [
      ...['input', 'model', 'voice', 'instructions', 'response_format', 'speed', 'stream_format', 'stream', 'user'],
    ]),
    rows('Mistral, its OpenAPI file of 2026-08, and OpenRouter, its OpenAPI file; read 2026-11-29', [
      ...['voice_id', 'ref_audio', 'input_references', 'metadata', 'prompt_cache_key'],
    ]),
    rows('SDKs of Zhipu 0.2.3 and of Alibaba 2.0.2 for Python and of Groq 1.6.0 for TypeScript; read 2026-11-29', [
      ...['volume', 'watermark_enabled', 'encode_format', 'request_id', 'user_id', 'sensitive_word_check', 'language_type', 'sample_rate'],
    ]),
    rows('MiniMax, as its clients of 2026 call it; read 2026-11-29', ['timber_weights', 'voice_setting']),
    rows('Speech of Alibaba, MiniMax and StepFun, named 2026-11-29', [
      ...['language', 'pitch', 'emotion', 'seed', 'temperature', 'audio_setting', 'pronunciation_dict', 'text_normalization'],
      ...['voice_label', 'timbre_weights', 'language_boost', 'voice_modify', 'subtitle_enable', 'stream_options', 'extra_body'],
    ]),
    provider,
    ...liteLlmRows,
  ],
  inner,
}

export const transcriptionsBody: BodyTable = {
  members: [
    rows(`OpenAI API reference, "Create transcription" and "Create translation", ${sdk}`, [
      ...['file', 'model', 'chunking_strategy', 'include', 'keywords', 'known_speaker_names', 'known_speaker_references', 'language'],
      ...['languages', 'prompt', 'response_format', 'stream', 'temperature', 'timestamp_granularities'],
    ]),
    rows('Mistral, its OpenAPI file of 2026-08, and OpenRouter, its OpenAPI file; read 2026-11-29', [
      ...['diarize', 'context_bias', 'input_audio'],
    ]),
    rows('SDKs of Zhipu 0.2.3 for Python and of Groq 1.6.0 for TypeScript; read 2026-11-29', [
      ...['hotwords', 'request_id', 'user_id', 'sensitive_word_check', 'url'],
    ]),
    rows('Transcriptions of Zhipu and Alibaba, named 2026-11-29', [
      ...['user', 'to_language', 'vad_filter', 'enable_itn', 'enable_lid', 'asr_options'],
    ]),
    provider,
    ...liteLlmRows,
  ],
  inner,
}
