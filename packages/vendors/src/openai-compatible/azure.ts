import { everyKind } from '../every-kind.ts'
import type { Vendor } from '../vendor.ts'
import { openaiVendor } from './openai.ts'

const { rerank: _rerank, edits: _edits, ...azureKinds } = everyKind

/** Calls whose path names no deployment: their body or their query does. */
const withoutDeployment: ReadonlySet<string> = new Set(['/v1/responses', '/v1/models', '/v1/moderations'])

/** Deployments are named like models, and older ones without dots, which Azure once refused: `gpt-35-turbo`. */
const deploymentOf = (model: string): string => encodeURIComponent(model.replace(/^gpt-3\.5/, 'gpt-35'))

/**
 * Source: Azure OpenAI, "API version lifecycle" and "REST API reference", stored copies read 2026-11-22. A base URL that ends in `/openai/v1`, or
 * `v1` as the version, calls the interface without versions; every other version is one of the dated interface.
 */
export const azure: Vendor = {
  type: 3,
  name: 'Azure OpenAI',
  color: 'olive',
  docs: { page: 'https://learn.microsoft.com/azure/ai-services/openai/reference' },
  group: 'global',
  dialects: azureKinds,
  optionalKinds: ['responses'],
  baseUrl: null,
  auth: { header: 'api-key' },
  keyHint: 'Azure API key',
  otherLabel: { en: 'API version, or v1', zh: 'API 版本，或 v1' },
  otherDefault: '2024-03-01-preview',
  variant({ baseUrl, other }) {
    if (/\/openai\/v1\/?$/.test(baseUrl)) return { pathFor: (path) => path, paths: {} }
    return other === 'v1' ? { pathFor: (path) => `/openai${path}` } : null
  },
  paths: { models: '/openai/v1/models' },
  pathFor(path, { kind, model, channel }) {
    const version = `?api-version=${encodeURIComponent(channel.other)}`
    if (kind === 'realtime') return `/openai/realtime${version}&deployment=${deploymentOf(model)}`
    if (withoutDeployment.has(path)) return path.replace('/v1', '/openai') + version
    return `/openai/deployments/${deploymentOf(model)}${path.replace('/v1', '')}${version}`
  },
  failures: {
    // A limit of the deployment, not of the account.
    insufficient_quota: 'rate_limited',
    DeploymentNotFound: 'model_not_found',
    content_filter: 'content_filter',
    ResponsibleAIPolicyViolation: 'content_filter',
  },
  streamUsage: true,
  models: openaiVendor.models,
  patch: openaiVendor.patch,
}
