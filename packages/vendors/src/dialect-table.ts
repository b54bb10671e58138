import { alibabaImageEdits, alibabaImages } from './alibaba/images.ts'
import { alibabaRerank } from './alibaba/rerank.ts'
import { alibabaSpeech } from './alibaba/speech.ts'
import { alibabaTranscriptions } from './alibaba/transcriptions.ts'
import { anthropic } from './anthropic/dialect.ts'
import { anthropicMessages } from './anthropic/native.ts'
import { baiduChat } from './baidu/chat.ts'
import { baiduEmbeddings } from './baidu/embeddings.ts'
import { bedrockClaude, converse } from './bedrock/dialect.ts'
import { bedrockEmbeddings } from './bedrock/embeddings.ts'
import { bedrockImages } from './bedrock/images.ts'
import { bedrockRerank } from './bedrock/rerank.ts'
import { bytedanceEmbeddings } from './bytedance/embeddings.ts'
import { cloudflareImages } from './cloudflare/images.ts'
import { cloudflareRerank } from './cloudflare/rerank.ts'
import { cloudflareSpeech } from './cloudflare/speech.ts'
import { cloudflareTranscriptions, cloudflareTranslations } from './cloudflare/transcriptions.ts'
import { cohere, cohereEmbeddings } from './cohere/dialect.ts'
import { coze } from './coze/dialect.ts'
import { cozeSpeech, cozeTranscriptions } from './coze/sound.ts'
import { deepl } from './deepl/dialect.ts'
import type { ChatDialect, Dialect } from './dialect.ts'
import { gemini } from './gemini/dialect.ts'
import { geminiEmbeddings } from './gemini/embeddings.ts'
import { developerApi } from './gemini/host.ts'
import { geminiImageEditsAt, geminiImagesAt, geminiImageVariationsAt } from './gemini/images.ts'
import { generateAt } from './gemini/native.ts'
import { geminiSpeechAt } from './gemini/speech.ts'
import { embedByEmbeddings } from './generate/embed.ts'
import { iflytekChat } from './iflytek/chat.ts'
import { iflytekEmbeddings } from './iflytek/embeddings.ts'
import { iflytekImages } from './iflytek/images.ts'
import { iflytekSpeech } from './iflytek/speech.ts'
import { iflytekTranscriptions } from './iflytek/transcriptions.ts'
import type { Kind } from './kind.ts'
import { compatibleMessages, compatibleMessagesWithMarks } from './messages/compatible.ts'
import { minimaxEmbeddings } from './minimax/embeddings.ts'
import { minimaxImages } from './minimax/images.ts'
import { minimaxSpeech } from './minimax/speech.ts'
import { minimaxTranscriptions } from './minimax/transcriptions.ts'
import { mistralFillIn } from './mistral/fill-in.ts'
import { mistralModerations } from './mistral/moderations.ts'
import { mistralSpeech } from './mistral/speech.ts'
import { novitaSpeech } from './novita/speech.ts'
import { novitaTranscriptions } from './novita/transcriptions.ts'
import { ollama, ollamaEmbeddings } from './ollama/dialect.ts'
import { speech, transcriptions, translations } from './openai/audio.ts'
import { completions, edits } from './openai/completions.ts'
import { openai } from './openai/dialect.ts'
import { floatEmbeddings } from './openai/float-embeddings.ts'
import { imageEdits, images, imageVariations } from './openai/images.ts'
import { realtime } from './openai/realtime.ts'
import { responses } from './openai/responses.ts'
import { openaiSearching } from './openai/searching.ts'
import { openaiStreamed } from './openai/streamed.ts'
import { openaiThinking } from './openai/thinking.ts'
import { uncounted } from './openai/uncounted.ts'
import { embeddings, moderations, rerank } from './openai/whole-kinds.ts'
import { palm } from './palm/dialect.ts'
import { aiProxyLibrary } from './proxy-library/dialect.ts'
import { compatibleResponses } from './responses/compatible.ts'
import { stepfunImageEdits } from './stepfun/image-edits.ts'
import { tencentChat } from './tencent/chat.ts'
import { tencentEmbeddings } from './tencent/embeddings.ts'
import { tencentImageEdits, tencentImages } from './tencent/pictures.ts'
import { vertexAiClaude } from './vertexai/claude.ts'
import { vertexAiGemini } from './vertexai/dialect.ts'
import { vertexAiEmbeddings } from './vertexai/embeddings.ts'
import { vertexAi } from './vertexai/host.ts'
import { zhinaoImages } from './zhinao/pictures.ts'
import { zhipuModerations } from './zhipu/moderations.ts'

/** Every chat dialect by name. A vendor record can only name one of these. */
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

/** The dialects of every kind. */
export const dialectTable = {
  chat: chatDialects,
  completions: { openai: completions, mistral: mistralFillIn },
  edits: { openai: edits },
  embeddings: {
    openai: embeddings,
    gemini: geminiEmbeddings,
    vertexai: vertexAiEmbeddings,
    'openai-floats': floatEmbeddings,
    baidu: baiduEmbeddings,
    bytedance: bytedanceEmbeddings,
    iflytek: iflytekEmbeddings,
    minimax: minimaxEmbeddings,
    tencent: tencentEmbeddings,
    bedrock: bedrockEmbeddings,
    cohere: cohereEmbeddings,
    ollama: ollamaEmbeddings,
  },
  moderations: { openai: moderations, mistral: mistralModerations, zhipu: zhipuModerations },
  rerank: { openai: rerank, alibaba: alibabaRerank, bedrock: bedrockRerank, cloudflare: cloudflareRerank },
  images: {
    openai: images,
    gemini: geminiImagesAt(developerApi),
    vertexai: geminiImagesAt(vertexAi),
    alibaba: alibabaImages,
    bedrock: bedrockImages,
    cloudflare: cloudflareImages,
    iflytek: iflytekImages,
    minimax: minimaxImages,
    tencent: tencentImages,
    zhinao: zhinaoImages,
  },
  'image-edits': {
    openai: imageEdits,
    gemini: geminiImageEditsAt(developerApi),
    vertexai: geminiImageEditsAt(vertexAi),
    alibaba: alibabaImageEdits,
    stepfun: stepfunImageEdits,
    tencent: tencentImageEdits,
  },
  'image-variations': {
    openai: imageVariations,
    gemini: geminiImageVariationsAt(developerApi),
    vertexai: geminiImageVariationsAt(vertexAi),
  },
  speech: {
    openai: speech,
    gemini: geminiSpeechAt(developerApi),
    vertexai: geminiSpeechAt(vertexAi),
    alibaba: alibabaSpeech,
    cloudflare: cloudflareSpeech,
    minimax: minimaxSpeech,
    novita: novitaSpeech,
    mistral: mistralSpeech,
    coze: cozeSpeech,
    iflytek: iflytekSpeech,
  },
  transcriptions: {
    openai: transcriptions,
    alibaba: alibabaTranscriptions,
    cloudflare: cloudflareTranscriptions,
    coze: cozeTranscriptions,
    iflytek: iflytekTranscriptions,
    minimax: minimaxTranscriptions,
    novita: novitaTranscriptions,
  },
  translations: { openai: translations, cloudflare: cloudflareTranslations },
  responses: { openai: responses, compatible: compatibleResponses },
  realtime: { openai: realtime },
  messages: { anthropic: anthropicMessages, compatible: compatibleMessages, 'compatible-marked': compatibleMessagesWithMarks },
  generate: { gemini: generateAt(developerApi) },
  embed: { gemini: embedByEmbeddings(geminiEmbeddings) },
} as const satisfies Record<Kind, Record<string, Dialect>>

/** The name of a dialect of a kind; or which one a model speaks, where a vendor sells models of several protocols. `null` = the model has none. */
export type DialectChoice<K extends Kind> = keyof (typeof dialectTable)[K] | ((model: string) => keyof (typeof dialectTable)[K] | null)

/** kind -> dialect. */
export type DialectNames = { readonly [K in Kind]?: DialectChoice<K> }
