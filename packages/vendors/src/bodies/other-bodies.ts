import type { BodyRow, BodyTable } from './body-row.ts'
import { liteLlmInner, liteLlmRows, openRouterMembers, openRouterProvider, sampling, thinkingSwitches } from './shared-rows.ts'

const sdk = 'and its SDK for TypeScript 7.59.0; read 2026-11-29'

const rows = (source: string, names: readonly string[]): BodyRow => ({ ruling: 'tokens', source, names })

const tier: BodyRow = { ruling: 'tier', source: 'OpenAI, "Priority processing", named 2026-11-29', names: ['service_tier'] }

/** OpenRouter has its `provider` in every call. */
const provider: BodyRow = rows('OpenRouter, "Provider routing", named 2026-11-29', ['provider'])
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
    rows('API references of embeddings of Cohere, Mistral, Alibaba, Google, Jina and OpenRouter, named 2026-11-29', [
      ...['input_type', 'truncate', 'embedding_types', 'output_dtype', 'output_dimension', 'text_type', 'task_type', 'task', 'instruction'],
      ...['normalized', 'late_chunking', 'truncate_prompt_tokens', 'metadata', 'priority', 'title', 'inputs'],
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
    rows('API references of rerank of Cohere, Jina, Alibaba and OpenRouter, named 2026-11-29', [
      ...['model', 'query', 'documents', 'top_n', 'top_k', 'return_documents', 'max_tokens_per_doc', 'max_chunks_per_doc', 'rank_fields'],
      ...['instruct', 'instruction', 'raw_scores', 'truncate', 'truncation', 'return_raw_scores', 'overlap_tokens', 'user', 'priority'],
    ]),
    provider,
    ...liteLlmRows,
  ],
  inner,
}

/** What an image costs is its model, `size`, `quality` and `n`, or the tokens that the answer counts. */
const imageMembers: readonly BodyRow[] = [
  rows(`OpenAI API reference, "Create image" and "Create image edit", ${sdk}`, [
    ...['prompt', 'background', 'complexity', 'frame_count', 'frame_duration_ms', 'model', 'moderation', 'n', 'output_compression'],
    ...['output_format', 'partial_images', 'quality', 'response_format', 'safety_identifier', 'size', 'stream', 'style', 'svg', 'user'],
    ...['image', 'images', 'input_fidelity', 'markup', 'mask'],
  ]),
  rows('OpenRouter, "Image generation"; Zhipu, Alibaba, ByteDance, StepFun and iFlytek, their image calls; named 2026-11-29', [
    ...['aspect_ratio', 'resolution', 'seed', 'negative_prompt', 'guidance_scale', 'cfg_scale', 'num_inference_steps', 'steps', 'strength'],
    ...['watermark', 'watermark_enabled', 'prompt_extend', 'user_id', 'request_id', 'style_reference', 'text_mode', 'image_url'],
    ...['input_references', 'revise', 'add_watermark'],
  ]),
  {
    ruling: 'refused',
    source: 'ByteDance, "Seedream": it makes and bills further images; named 2026-11-29',
    names: ['sequential_image_generation', 'sequential_image_generation_options'],
    effect: 'images',
  },
  provider,
  ...liteLlmRows,
]

export const imagesBody: BodyTable = { members: imageMembers, inner }

export const speechBody: BodyTable = {
  members: [
    rows(`OpenAI API reference, "Create speech", ${sdk}`, [
      ...['input', 'model', 'voice', 'instructions', 'response_format', 'speed', 'stream_format', 'stream', 'user'],
    ]),
    rows('Speech of Alibaba, MiniMax, Mistral, Zhipu, StepFun, Groq and OpenRouter, named 2026-11-29', [
      ...['language', 'language_type', 'sample_rate', 'volume', 'pitch', 'emotion', 'seed', 'temperature', 'watermark_enabled', 'voice_id'],
      ...['voice_setting', 'audio_setting', 'pronunciation_dict', 'text_normalization', 'ref_audio', 'voice_label', 'encode_format'],
      ...['timber_weights', 'timbre_weights', 'language_boost', 'voice_modify', 'subtitle_enable', 'stream_options', 'extra_body'],
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
    rows('Transcriptions of Mistral, Zhipu, Groq, Alibaba and OpenRouter, named 2026-11-29', [
      ...['diarize', 'context_bias', 'hotwords', 'request_id', 'user_id', 'user', 'url', 'to_language', 'vad_filter', 'input_audio'],
      ...['enable_itn', 'enable_lid', 'asr_options'],
    ]),
    provider,
    ...liteLlmRows,
  ],
  inner,
}
