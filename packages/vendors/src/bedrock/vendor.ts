import type { Vendor } from '../vendor.ts'
import { bedrockAddress, bedrockKeyOf } from './channel.ts'

/**
 * Source: Amazon Bedrock user guide and API reference, "Converse", "Supported models", "API keys" and "Inference profiles", stored copies of
 * October and November 2026, read 2026-11-22. Claude is called by InvokeModel in Anthropic's form, every other model by Converse. Names
 * become ids of the service, with the profile of the region where a model needs one; ids and ARNs are sent as they are.
 */
export const bedrockVendor: Vendor = {
  type: 33,
  name: 'AWS',
  color: 'orange',
  docs: {
    page: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/welcome.html',
    untranslated: ['rerank', 'pictures', 'moderation', 'realtime'],
  },
  group: 'global',
  dialects: {
    chat: (model) => (/(?:^|[./])(?:anthropic\.)?claude-/.test(model) ? 'bedrockClaude' : 'converse'),
    embeddings: 'bedrock',
  },
  baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com',
  addressFor: bedrockAddress,
  auth: { signer: 'bedrock' },
  keyHint: 'ak|sk|region',
  isKey: (key) => bedrockKeyOf({ key, config: {} }) !== null,
  configFields: ['region', 'ak', 'sk'],
  keyFields: ['ak', 'sk', 'region'],
  errorHeader: 'x-amzn-errortype',
  streamUsage: false,
  models: [
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-haiku-5-5',
    'claude-fable-5-1',
    'claude-opus-5',
    'claude-sonnet-5',
    'claude-fable-5',
    'claude-opus-4-8',
    'claude-opus-4-7',
    'claude-opus-4-6',
    'claude-sonnet-4-6',
    'claude-opus-4-5-20251101',
    'claude-sonnet-4-5-20250929',
    'claude-haiku-4-5-20251001',
    'amazon-nova-2-lite',
    'amazon-nova-premier',
    'amazon-nova-pro',
    'amazon-nova-lite',
    'amazon-nova-micro',
    'llama3-3-70b-128k',
    'llama4-maverick-17b-1m',
    'llama4-scout-17b-3.5m',
    'gpt-oss-20b',
    'qwen3-coder-30b',
    'mistral-large-2402',
    'mistral-pixtral-large-2502',
    'palmyra-x5',
    'palmyra-x4',
    'amazon-titan-embed-text-v2',
    'amazon-titan-embed-text',
    'embed-english-v3.0',
    'embed-multilingual-v3.0',
  ],
}
