import { bearer } from '../../core/auth.ts'
import { openaiInputsMax } from '../../core/embedding-inputs.ts'
import { hasParts } from '../../core/split-key.ts'
import type { Vendor, VendorRoutes, VendorVariant } from '../../core/vendor.ts'
import { modelOf } from '../../protocols/compat/fields.ts'
import { isReasoningModel } from '../../protocols/shared/output-limit.ts'
import { openaiCalls, openaiRulesFor, openaiVendor, transcriptFormsOf } from '../openai/vendor.ts'
import { azureBatches } from './batches.ts'
import { askEntraToken } from './credential.ts'
import { azureDialects, dialectsWithResponses, isClaude } from './dialects.ts'
import { azureVideos } from './videos.ts'

/** Calls whose path names no deployment: their body or their query does. */
const withoutDeployment: ReadonlySet<string> = new Set(['/v1/responses', '/v1/models', '/v1/moderations'])

/** Deployments are named like models, and older ones without dots, which Azure once refused: `gpt-35-turbo`. */
const deploymentOf = (model: string): string => encodeURIComponent(model.replace(/^gpt-3\.5/, 'gpt-35'))

const messagesPath = '/v1/messages'

/** Files and batches are called at the interface without versions, as its page does. */
const isOfBatches = /^\/v1\/(?:files|batches)(?:\/|$)/

/** The interface without versions, behind this part of the path. */
const v1Path =
  (before: string): NonNullable<VendorRoutes['pathFor']> =>
  (path, { channel }) =>
    path === messagesPath ? claudeAddress(channel.baseUrl) : before + path

/** GPT-4o on 2026-10-01, GPT-4.1 on 2026-10-14, o3 on 2026-10-16. */
const retired: readonly string[] = ['gpt-4o', 'gpt-4o-mini', 'gpt-4.1', 'gpt-4.1-mini', 'o3']

/** Its moderation is a service of its own (Azure AI Content Safety). */
const elsewhere: readonly string[] = ['omni-moderation-latest']

/** At Azure's own hosts every resource has responses. Other servers with its interface may lack them, so their chats stay chats. */
const withResponses: VendorVariant = { dialects: dialectsWithResponses }

const v1: VendorVariant = { ...withResponses, routes: { pathFor: v1Path('/openai') } }

const isOwnHost = (baseUrl: string): boolean => /^https:\/\/[^/]+\.azure\.(?:com|us|cn)(?:[:/]|$)/.test(baseUrl)

function interfaceAt(baseUrl: string, version: string): VendorVariant {
  if (/\/openai\/v1\/?$/.test(baseUrl)) return { ...v1, routes: { pathFor: v1Path(''), paths: {} } }
  if (version === 'v1') return v1
  return isOwnHost(baseUrl) ? withResponses : {}
}

/**
 * The first version of the dated interface that has a call, or an empty text. Sources: "API version lifecycle", "Responses API" and "Realtime API", stored
 * copies read 2026-11-27; "Model {modelName} is enabled only for api versions 2024-12-01-preview and later" (microsoft/semantic-kernel 12268).
 */
function firstVersionOf(path: string, { kind, model, channel: { baseUrl } }: Parameters<NonNullable<VendorRoutes['pathFor']>>[1]): string {
  if (kind === 'realtime') return '2024-10-01'
  if (path === '/v1/responses') return '2025-03-01'
  return path === '/v1/chat/completions' && isReasoningModel(model) && isOwnHost(baseUrl) ? '2024-12-01' : ''
}

const isOlder = (version: string, first: string): boolean => /^\d{4}-\d\d-\d\d/.test(version) && version.slice(0, first.length) < first

/** Claude is at another host of the same resource. */
const claudeAddress = (baseUrl: string): string =>
  `${new URL(baseUrl).origin.replace(/\.(?:openai|cognitiveservices)\.azure\.com$/, '.services.ai.azure.com')}/anthropic/v1/messages`

/**
 * Source: Azure OpenAI, "API version lifecycle" and "REST API reference", stored copies read 2026-11-22. A base URL that ends in `/openai/v1`, or
 * `v1` as the version, calls the interface without versions; every other version is one of the dated interface. What a dated version is too old for
 * goes to the interface without versions, so a channel that names no version has responses, sessions and models that reason. A key in three parts gets a
 * token of Microsoft Entra. Deployments named `claude...` speak Anthropic's protocol (Anthropic, "Claude in Microsoft Foundry", read 2026-11-23).
 * The interface of DALL-E 2 that is polled is not called: the model was retired on 2025-01-27 (Azure OpenAI, "Deprecated models"). Models that it retired
 * before OpenAI does are not listed ("Foundry model retirement schedule", MicrosoftDocs/azure-ai-docs of July 2026, read 2026-11-25).
 */
export const azure: Vendor = {
  type: 3,
  name: 'Azure OpenAI',
  color: 'olive',
  docs: {
    page: 'https://learn.microsoft.com/azure/ai-services/openai/reference',
  },
  group: 'global',
  // Azure OpenAI, "Responses API", reference of the interface v1: `max_tool_calls`; named 2026-11-30.
  limitsToolCalls: true,
  dialects: azureDialects,
  optionalKinds: { responses: azureDialects },
  tasks: { videos: (model) => (/sora/i.test(model) ? azureVideos : null) },
  // Half the price of `Global Standard` ("Getting started with Azure OpenAI batch deployments", a stored copy read 2026-11-27).
  batches: { factor: 0.5, form: azureBatches, models: /^(?!claude)/ },
  routes: {
    baseUrl: null,
    paths: { models: '/openai/v1/models' },
    pathFor(path, target) {
      const { kind, model, channel } = target
      if (path === messagesPath) return claudeAddress(channel.baseUrl)
      if (isOfBatches.test(path)) return `/openai${path}`
      if (isOlder(channel.other, firstVersionOf(path, target))) return `/openai${path}`
      const version = `?api-version=${encodeURIComponent(channel.other)}`
      if (kind === 'realtime') return `/openai/realtime${version}&deployment=${deploymentOf(model)}`
      if (withoutDeployment.has(path)) return path.replace('/v1', '/openai') + version
      return `/openai/deployments/${deploymentOf(model)}${path.replace('/v1', '')}${version}`
    },
  },
  auth: { header: 'api-key' },
  key: {
    hint: 'Azure API key, or tenant|client id|client secret',
    hintZh: 'Azure API 密钥，或 租户 ID|客户端 ID|客户端密码',
    isValid: (key) => !key.includes('|') || hasParts(key, 3),
  },
  otherLabel: { en: 'API version, or v1', zh: 'API 版本，或 v1' },
  otherDefault: '2024-03-01-preview',
  variant: ({ key, baseUrl, other }) => ({
    ...interfaceAt(baseUrl, other),
    ...(hasParts(key, 3) ? { auth: bearer, credential: askEntraToken } : {}),
  }),
  failures: {
    // A limit of the deployment, not of the account.
    insufficient_quota: 'rate_limited',
    DeploymentNotFound: 'model_not_found',
    contentFilter: 'content_filter',
    ResponsibleAIPolicyViolation: 'content_filter',
    '400': [[/enabled only for api versions|^API version not supported/i, 'model_not_found']],
  },
  chat: {
    lacks: ['files by address', 'audio by address', 'videos in'],
    streamUsage: true,
    takesFunctions: true,
    calls: openaiCalls,
    patch: openaiVendor.chat?.patch,
  },
  transcriptForms: transcriptFormsOf,
  embeddingInputs: { most: openaiInputsMax },
  // "Compact a conversation", Foundry REST reference, read 2026-11-30.
  compactsResponses: true,
  models: {
    names: [
      ...openaiVendor.models.names.filter((model) => !retired.includes(model) && !elsewhere.includes(model)),
      'claude-opus-5',
      'claude-sonnet-5',
      'claude-fable-5',
      'claude-opus-4-8',
    ],
    rulesFor: (model) => (isClaude(model) ? [] : openaiRulesFor(model)),
  },
  unsupported: (request) => (isClaude(modelOf(request.body)) ? null : (openaiVendor.unsupported?.(request) ?? null)),
  patches: openaiVendor.patches,
}
