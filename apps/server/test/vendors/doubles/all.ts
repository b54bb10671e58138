import type { VendorDouble } from '../vendor-double.ts'
import { anthropicDouble } from './anthropic.ts'
import { baiduDouble } from './baidu.ts'
import { bedrockClaudeDouble, bedrockDouble } from './bedrock.ts'
import { cohereDouble } from './cohere.ts'
import { mistralDouble, moonshotDouble } from './compatible.ts'
import { cozeDouble } from './coze.ts'
import { accountClaudeDouble, accountGeminiDouble, cloudClaudeDouble, cloudGeminiDouble, geminiDouble } from './gemini.ts'
import { iflytekDouble } from './iflytek.ts'
import { libraryDouble } from './library.ts'
import { ollamaDouble } from './ollama.ts'
import { openaiDouble } from './openai.ts'
import { responsesDouble } from './responses.ts'
import { streamOnlyDouble } from './stream-only.ts'
import { tencentDouble } from './tencent.ts'
import { deeplDouble, palmDouble } from './whole-only.ts'

/** One double for every wire that a dialect speaks. */
export const doubles: readonly VendorDouble[] = [
  openaiDouble,
  responsesDouble,
  anthropicDouble,
  geminiDouble,
  cloudGeminiDouble,
  cloudClaudeDouble,
  accountGeminiDouble,
  accountClaudeDouble,
  moonshotDouble,
  mistralDouble,
  libraryDouble,
  bedrockDouble,
  bedrockClaudeDouble,
  cohereDouble,
  ollamaDouble,
  cozeDouble,
  streamOnlyDouble,
  tencentDouble,
  baiduDouble,
  iflytekDouble,
  palmDouble,
  deeplDouble,
]
