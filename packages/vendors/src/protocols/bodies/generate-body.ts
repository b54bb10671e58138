import type { BodyRow, BodyTable } from './body-row.ts'
import { contextCaching, geminiMaps, geminiTokens, grounding } from './pages.ts'

const google = 'Gemini API, "generateContent", and its SDK for TypeScript 3.3.0; read 2026-11-29'

const members: readonly BodyRow[] = [
  {
    ruling: 'tokens',
    source: google,
    names: [
      'contents',
      'systemInstruction',
      'tools',
      'toolConfig',
      'safetySettings',
      'generationConfig',
      'model',
      'labels',
      'store',
      'continuationToken',
    ],
  },
  { ruling: 'relay', source: `${google}: the answer does not name the tier, so it is left out`, names: ['serviceTier'] },
  { ruling: 'account', source: contextCaching, names: ['cachedContent'] },
  { ruling: 'refused', source: `${google}: it writes to stores of the account`, names: ['generationOutputConfig'] },
  {
    ruling: 'refused',
    source:
      'Google Cloud, "Model Armor", prices as a client of 2026 quotes them: 0.10 dollars for a million tokens beyond two a month; read 2026-11-29',
    names: ['modelArmorConfig'],
  },
]

const config: readonly BodyRow[] = [
  {
    ruling: 'tokens',
    source: google,
    names: [
      ...['responseJsonSchema', 'responseSchema', 'responseMimeType', 'responseModalities', 'responseFormat', 'responseLogprobs'],
      ...['audioTranscriptionConfig', 'audioTimestamp', 'candidateCount', 'enableAffectiveDialog', 'frequencyPenalty', 'logprobs'],
      ...['maxOutputTokens', 'mediaResolution', 'presencePenalty', 'seed', 'speechConfig', 'stopSequences', 'temperature'],
      ...['thinkingConfig', 'topK', 'topP', 'enableEnhancedCivicAnswers', 'translationConfig', 'imageConfig', '_responseJsonSchema'],
    ],
  },
  { ruling: 'refused', source: `${google}: they choose a model`, names: ['modelSelectionConfig', 'routingConfig', 'modelConfig'] },
]

const tools: readonly BodyRow[] = [
  {
    ruling: 'tokens',
    source: geminiTokens,
    names: ['functionDeclarations'],
    isSeen: true,
  },
  {
    ruling: 'tokens',
    source: geminiTokens,
    // The vendor declares functions for computer use to the model that the request does not have.
    names: ['codeExecution', 'urlContext', 'computerUse', 'mcpServers'],
  },
  {
    ruling: 'priced',
    source: grounding,
    names: ['googleSearch', 'googleSearchRetrieval'],
    effect: 'searches',
  },
  {
    ruling: 'account',
    source:
      'Gemini API, "Pricing", "File search", copies of 2026: what it finds are tokens, and the store is paid when it is filled; read 2026-11-29',
    names: ['fileSearch'],
  },
  {
    ruling: 'refused',
    source: geminiMaps,
    names: ['googleMaps'],
    effect: 'anything',
  },
  {
    ruling: 'refused',
    source: 'Vertex AI, "Pricing", copies of 2026: 14 or 45 dollars for 1000, without a price here; read 2026-11-29',
    names: ['enterpriseWebSearch'],
    effect: 'anything',
  },
  {
    ruling: 'refused',
    source: 'Vertex AI, "Pricing", grounding in data of others: without a price here; named 2026-11-29',
    names: ['retrieval', 'exaAiSearch', 'parallelAiSearch'],
    effect: 'anything',
  },
]

/** `generateContent`: a tool is a member of its own name. */
export const generateBody: BodyTable = {
  members,
  inner: { generationConfig: config },
  lists: { tools: { by: '', rows: tools } },
  isCamel: true,
}

/** `embedContent` and `batchEmbedContents`. */
export const embedBody: BodyTable = {
  members: [
    {
      ruling: 'tokens',
      source: 'Gemini API, "embedContent", and its SDK for TypeScript 3.3.0; read 2026-11-29',
      names: [
        ...['content', 'requests', 'model', 'taskType', 'title', 'outputDimensionality', 'mimeType', 'autoTruncate', 'documentOcr'],
        ...['audioTrackExtraction', 'embedContentConfig'],
      ],
    },
  ],
  isCamel: true,
}
