/**
 * Alibaba Cloud Model Studio, "Models", a stored copy read 2026-11-22. Not listed are those that ended in Beijing and Singapore on 2026-10-10 (notices 731 and
 * 1950 as stored copies and docs.apiyi.com have them, and theopenco/llmgateway 4112, read 2026-11-25: Qwen3 Max, Qwen Turbo, QwQ, QVQ, Qwen VL, Qwen Omni
 * Turbo, the open Qwen3 models, DeepSeek V3.2 and the first V4 Flash, the older images). They keep their prices.
 */
export const alibabaModels: readonly string[] = [
  ...['qwen4-max', 'qwen3.8-max', 'qwen3.8-flash', 'qwen3.7-max', 'qwen3.7-plus', 'qwen3.7-flash', 'qwen3.6-plus', 'qwen3.6-flash'],
  ...['qwen3.5-plus', 'qwen3.5-flash', 'qwen-max', 'qwen-plus', 'qwen-flash', 'qwen-long'],
  ...['qwen3-coder-flash', 'qwen3-vl-plus', 'qwen3-omni-flash', 'qwen-math-plus', 'qwen-mt-plus', 'qwen-mt-flash'],
  ...['deepseek-v4-pro', 'deepseek-v4.1-flash', 'text-embedding-v4', 'text-embedding-v3'],
  ...['qwen-image-2.0-pro', 'qwen-image-2.0', 'wan2.6-t2i', 'z-image-turbo', 'wan2.5-t2i-preview', 'wan2.2-t2i-plus', 'wan2.2-t2i-flash'],
  ...['wan3.0-video', 'wan2.7-t2v', 'wan2.7-i2v', 'wan2.5-t2v-preview', 'wan2.5-i2v-preview', 'wan2.2-t2v-plus', 'wan2.2-i2v-flash'],
  ...['qwen3-tts-flash', 'qwen3-asr-flash'],
]
