/** Alibaba Cloud Model Studio, "Models", a stored copy read 2026-11-22. */
export const alibabaModels: readonly string[] = [
  ...['qwen3.8-max', 'qwen3.7-max', 'qwen3.7-plus', 'qwen3.6-plus', 'qwen3.6-flash', 'qwen3.5-plus', 'qwen3.5-flash', 'qwen3-max'],
  ...['qwen-max', 'qwen-plus', 'qwen-flash', 'qwen-turbo', 'qwen-long', 'qwq-plus', 'qvq-max'],
  ...['qwen3-coder-plus', 'qwen3-coder-flash', 'qwen3-coder-next', 'qwen3-vl-plus', 'qwen3-vl-flash', 'qwen-vl-max', 'qwen-vl-plus'],
  ...['qwen3-omni-flash', 'qwen-omni-turbo', 'qwen-math-plus', 'qwen-mt-plus', 'qwen-mt-flash', 'qwen3-235b-a22b', 'qwen3-32b'],
  ...['deepseek-v4-pro', 'deepseek-v4-flash', 'deepseek-v3.2', 'text-embedding-v4', 'text-embedding-v3'],
  ...['qwen-image-2.0-pro', 'qwen-image-2.0', 'qwen-image-plus', 'qwen-image-edit-plus', 'wan2.6-t2i', 'z-image-turbo'],
  ...['wan2.5-t2i-preview', 'wan2.2-t2i-plus', 'wan2.2-t2i-flash'],
  ...['qwen3-tts-flash', 'qwen3-asr-flash'],
]
