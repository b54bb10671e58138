import type { ChatDialect, Dialect } from '../core/dialect.ts'
import type { Kind } from '../core/kind.ts'
import { compatibleMessages, compatibleMessagesWithMarks } from '../protocols/anthropic/compatible-messages.ts'
import { anthropic } from '../protocols/anthropic/dialect.ts'
import { anthropicMessages } from '../protocols/anthropic/native.ts'
import { gemini } from '../protocols/gemini/dialect.ts'
import { geminiEmbeddings } from '../protocols/gemini/embeddings.ts'
import { developerApi } from '../protocols/gemini/host.ts'
import { geminiImageEditsAt, geminiImagesAt, geminiImageVariationsAt } from '../protocols/gemini/images.ts'
import { generateAt } from '../protocols/gemini/native.ts'
import { geminiSpeechAt } from '../protocols/gemini/speech.ts'
import { embedByEmbeddings } from '../protocols/generate/embed.ts'
import { speech, transcriptions, translations } from '../protocols/openai/audio.ts'
import { completions, edits } from '../protocols/openai/completions.ts'
import { openai } from '../protocols/openai/dialect.ts'
import { floatEmbeddings } from '../protocols/openai/float-embeddings.ts'
import { imageEdits, images, imageVariations } from '../protocols/openai/images.ts'
import { realtime } from '../protocols/openai/realtime.ts'
import { openaiSearching } from '../protocols/openai/searching.ts'
import { openaiStreamed } from '../protocols/openai/streamed.ts'
import { uncounted } from '../protocols/openai/uncounted.ts'
import { embeddings, moderations, rerank } from '../protocols/openai/whole-kinds.ts'
import { compatibleResponses } from '../protocols/responses/compatible.ts'
import { responses } from '../protocols/responses/native.ts'
import { openaiThinking } from '../protocols/responses/reasoning-chats.ts'
import { zhinaoImages } from '../vendors/360-zhinao/images.ts'
import { alibabaImageEdits, alibabaImages } from '../vendors/alibaba/images.ts'
import { alibabaRerank } from '../vendors/alibaba/rerank.ts'
import { alibabaSpeech } from '../vendors/alibaba/speech.ts'
import { alibabaTranscriptions } from '../vendors/alibaba/transcriptions.ts'
import { baiduChat } from '../vendors/baidu/chat.ts'
import { baiduEmbeddings } from '../vendors/baidu/embeddings.ts'
import { bedrockClaude, converse } from '../vendors/bedrock/chat.ts'
import { bedrockEmbeddings } from '../vendors/bedrock/embeddings.ts'
import { bedrockImages } from '../vendors/bedrock/images.ts'
import { bedrockRerank } from '../vendors/bedrock/rerank.ts'
import { bytedanceEmbeddings } from '../vendors/bytedance/embeddings.ts'
import { cloudflareImages } from '../vendors/cloudflare/images.ts'
import { cloudflareRerank } from '../vendors/cloudflare/rerank.ts'
import { cloudflareSpeech } from '../vendors/cloudflare/speech.ts'
import { cloudflareTranscriptions, cloudflareTranslations } from '../vendors/cloudflare/transcriptions.ts'
import { cohere, cohereEmbeddings } from '../vendors/cohere/chat.ts'
import { cozeSpeech, cozeTranscriptions } from '../vendors/coze/audio.ts'
import { coze } from '../vendors/coze/chat.ts'
import { deepl } from '../vendors/deepl/chat.ts'
import { palm } from '../vendors/google/palm/chat.ts'
import { vertexAiGemini } from '../vendors/google/vertexai/chat.ts'
import { vertexAiClaude } from '../vendors/google/vertexai/claude.ts'
import { vertexAiEmbeddings } from '../vendors/google/vertexai/embeddings.ts'
import { vertexAi } from '../vendors/google/vertexai/host.ts'
import { iflytekChat } from '../vendors/iflytek/chat.ts'
import { iflytekEmbeddings } from '../vendors/iflytek/embeddings.ts'
import { iflytekImages } from '../vendors/iflytek/images.ts'
import { iflytekSpeech } from '../vendors/iflytek/speech.ts'
import { iflytekTranscriptions } from '../vendors/iflytek/transcriptions.ts'
import { minimaxEmbeddings } from '../vendors/minimax/embeddings.ts'
import { minimaxImages } from '../vendors/minimax/images.ts'
import { minimaxSpeech } from '../vendors/minimax/speech.ts'
import { minimaxTranscriptions } from '../vendors/minimax/transcriptions.ts'
import { mistralFillIn } from '../vendors/mistral/fill-in.ts'
import { mistralModerations } from '../vendors/mistral/moderations.ts'
import { mistralSpeech } from '../vendors/mistral/speech.ts'
import { novitaSpeech } from '../vendors/novita/speech.ts'
import { novitaTranscriptions } from '../vendors/novita/transcriptions.ts'
import { ollama, ollamaEmbeddings } from '../vendors/ollama/chat.ts'
import { aiProxyLibrary } from '../vendors/proxy-library/chat.ts'
import { stepfunImageEdits } from '../vendors/stepfun/image-edits.ts'
import { tencentChat } from '../vendors/tencent/chat.ts'
import { tencentEmbeddings } from '../vendors/tencent/embeddings.ts'
import { tencentImageEdits, tencentImages } from '../vendors/tencent/images.ts'
import { zhipuModerations } from '../vendors/zhipu/moderations.ts'

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
