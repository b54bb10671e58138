import type { ChatDialect } from '../src/core/dialect.ts'
import { anthropic } from '../src/protocols/anthropic/dialect.ts'
import { gemini } from '../src/protocols/gemini/dialect.ts'
import { openaiStreamed } from '../src/protocols/openai/always-stream.ts'
import { openai } from '../src/protocols/openai/dialect.ts'
import { openaiSearching } from '../src/protocols/openai/with-web-search.ts'
import { uncounted } from '../src/protocols/openai/without-usage.ts'
import { openaiThinking } from '../src/protocols/responses/reasoning-chats.ts'
import { baiduChat } from '../src/vendors/baidu/chat.ts'
import { bedrockClaude, converse } from '../src/vendors/bedrock/chat.ts'
import { cohere } from '../src/vendors/cohere/chat.ts'
import { coze } from '../src/vendors/coze/chat.ts'
import { deepl } from '../src/vendors/deepl/chat.ts'
import { palm } from '../src/vendors/google/palm/chat.ts'
import { vertexAiGemini } from '../src/vendors/google/vertexai/chat.ts'
import { vertexAiClaude } from '../src/vendors/google/vertexai/claude.ts'
import { iflytekChat } from '../src/vendors/iflytek/chat.ts'
import { ollama } from '../src/vendors/ollama/chat.ts'
import { aiProxyLibrary } from '../src/vendors/proxy-library/chat.ts'
import { tencentChat } from '../src/vendors/tencent/chat.ts'

/** Every chat dialect by name, for tests of all. */
export const chatDialects = {
  openai,
  'openai-streamed': openaiStreamed,
  'openai-searching': openaiSearching,
  'openai-thinking': openaiThinking,
  anthropic,
  gemini,
  uncounted,
  aiProxyLibrary,
  baidu: baiduChat,
  iflytek: iflytekChat,
  tencent: tencentChat,
  palm,
  vertexai: vertexAiGemini,
  'vertexai-claude': vertexAiClaude,
  converse,
  bedrockClaude,
  cohere,
  ollama,
  deepl,
  coze,
} as const satisfies Record<string, ChatDialect>
