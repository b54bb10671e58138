import { chatResponse, json, type Script } from '../fake-upstream.ts'
import type { ClientName } from './protocol-examples.ts'
import type { VendorDouble } from './vendor-double.ts'

export const citedPage = 'https://a.example/cited'

const page = { url: citedPage, title: 'A' }

const ofOpenAi = {
  ...chatResponse(),
  choices: [
    {
      index: 0,
      message: {
        ...{ role: 'assistant', content: 'Rain.' },
        annotations: [{ type: 'url_citation', url_citation: { ...page, start_index: 0, end_index: 5 } }],
      },
      finish_reason: 'stop',
    },
  ],
}

const ofResponses = {
  ...{ id: 'resp_1', object: 'response', created_at: 1_700_000_000, model: 'vendor-model', status: 'completed' },
  output: [
    {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' },
      content: [
        {
          type: 'output_text',
          text: 'Rain.',
          annotations: [{ type: 'url_citation', ...page, start_index: 0, end_index: 5 }],
          logprobs: [],
        },
      ],
    },
  ],
  usage: { input_tokens: 9, output_tokens: 2, total_tokens: 11 },
}

const ofClaude = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'vendor-model' },
  content: [
    { type: 'text', text: 'Rain.', citations: [{ type: 'web_search_result_location', ...page, cited_text: 'Rain', encrypted_index: 'E' }] },
  ],
  ...{ stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 9, output_tokens: 2 } },
}

const ofGemini = {
  candidates: [
    {
      content: { role: 'model', parts: [{ text: 'Rain.' }] },
      ...{ index: 0, finishReason: 'STOP' },
      groundingMetadata: {
        webSearchQueries: ['weather'],
        groundingChunks: [{ web: { uri: citedPage, title: 'A' } }],
        groundingSupports: [{ segment: { startIndex: 0, endIndex: 5 }, groundingChunkIndices: [0] }],
      },
    },
  ],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 },
}

const responses: Readonly<Record<string, object>> = {
  OpenAI: ofOpenAi,
  // A search beside no functions stays a chat.
  'OpenAI, models that reason': ofOpenAi,
  Anthropic: ofClaude,
  'Claude at Google Cloud': ofClaude,
  'Claude on Bedrock': ofClaude,
  Gemini: ofGemini,
  'Gemini at Google Cloud': ofGemini,
}

/** Vendors that serve the Responses API in its own format. */
const inResponses: Readonly<Record<string, object>> = { OpenAI: ofResponses, 'OpenAI, models that reason': ofResponses }

/**
 * A response in the vendor's form, to a client of a protocol, that cites a page of a search. `null` = the vendor has no search, or names no pages.
 */
export function citedBy({ name }: VendorDouble, client: ClientName = 'OpenAI'): Script | null {
  const response = (client === 'OpenAI, responses' ? inResponses[name] : undefined) ?? responses[name]
  return response === undefined ? null : json(response)
}

/** Doubles of vendors that search, but name no pages. */
export const namesNoPages: readonly string[] = ['Alibaba, models that only stream']
