import type { Vendor } from '../core/vendor.ts'
import { vendors } from './list.ts'
import { strictTypes } from './strict-types.ts'

/**
 * Hosts of vendors that bill by more than the tokens of the requested model, beside those of the records of `strictTypes`: vendors without a
 * type, and further hosts of the others. With the page that names the host, or what is billed there. `{name}` stands for a part of any name.
 */
const furtherHosts: ReadonlyMap<string, string> = new Map([
  ['x.ai', 'xAI, "Pricing", "Tools Pricing", a stored copy read 2026-11-29'],
  ['perplexity.ai', 'Perplexity, "Pricing", "Tool Pricing" and "Request Pricing", a stored copy read 2026-11-29'],
  ['openai.azure.{place}', 'Azure OpenAI, "Reference", named 2026-11-29'],
  ['cognitiveservices.azure.{place}', 'Azure OpenAI, "Reference", named 2026-11-29'],
  ['ai.azure.{place}', 'Azure AI Foundry, "Endpoints", named 2026-11-29'],
  ['api.z.ai', 'Z.AI, "Pricing", "Built-in tools", named 2026-11-29'],
  ['api.moonshot.ai', 'Moonshot, "Pricing of tools", named 2026-11-29'],
  ['dashscope-{region}.aliyuncs.com', 'Alibaba Cloud Model Studio, "Regions", named 2026-11-29'],
  ['maas.aliyuncs.com', 'Alibaba Cloud Model Studio, "Regions", named 2026-11-29'],
  ['hunyuan.cloud.tencent.com', 'Tencent Hunyuan, "OpenAI compatibility", named 2026-11-29'],
  ['lkeap.cloud.tencent.com', 'Tencent Cloud, "Knowledge Engine", named 2026-11-29'],
  ['aip.baidubce.com', 'Baidu Qianfan, "Prices", named 2026-11-29'],
  ['ark.{region}.volces.com', 'ByteDance Ark, "Regions", named 2026-11-29'],
  ['ark.{region}.bytepluses.com', 'BytePlus ModelArk, "Regions", named 2026-11-29'],
  ['api.cohere.com', 'Cohere, "API reference", named 2026-11-29'],
  ['bedrock-runtime.{region}.amazonaws.com.cn', 'Amazon Bedrock, "Endpoints", named 2026-11-29'],
  ['bedrock-runtime-fips.{region}.amazonaws.com', 'Amazon Bedrock, "Endpoints", named 2026-11-29'],
  ['bedrock-mantle.{region}.api.aws', 'Amazon Bedrock, "Endpoints supported", named 2026-11-29'],
  ['aiplatform.googleapis.com', 'Google Cloud, "Locations", named 2026-11-29'],
  ['aiplatform.{region}.rep.googleapis.com', 'Google Cloud, "Locations", named 2026-11-29'],
])

/** A raw proxy reads no bodies. */
const rawProxy = 43

const hostsOfRecords = vendors.flatMap(({ type, routes: { baseUrl } }) => (strictTypes.has(type) ? (baseUrl?.split('/')[2] ?? []) : []))

/** The parts of the names. */
const strictHosts = [...hostsOfRecords, ...furtherHosts.keys()].map((host) => host.split('.'))

/** Whether a channel's vendor bills by more than the tokens of the requested model, by its type or by its address. */
export function isStrict({ vendor: { type }, baseUrl }: { readonly vendor: Pick<Vendor, 'type'>; readonly baseUrl: string }): boolean {
  if (type === rawProxy) return false
  if (strictTypes.has(type)) return true
  return hostAt(baseUrl).isStrict
}

/** Whether the address of a channel is a host of its vendor, or of another one that is known, and not one that the operator has entered. */
export function isAtVendor({ vendor, baseUrl }: { readonly vendor: Pick<Vendor, 'routes'>; readonly baseUrl: string }): boolean {
  const { parts, isStrict: isKnown } = hostAt(baseUrl)
  if (isKnown) return true
  const [, , own = ''] = vendor.routes.baseUrl?.split('/') ?? []
  return own !== '' && isWithin(parts, own.split('.'))
}

interface Host {
  /** Of its name. */
  readonly parts: readonly string[]
  readonly isStrict: boolean
}

/** By the addresses of channels, because every request asks for that of its channel. */
const knownHosts = new Map<string, Host>()
const knownHostsMax = 10_000

function hostAt(baseUrl: string): Host {
  const known = knownHosts.get(baseUrl)
  if (known !== undefined) return known
  if (knownHosts.size >= knownHostsMax) knownHosts.clear()
  const parts = partsOf(baseUrl)
  const host = { parts, isStrict: isAtStrictHost(parts) }
  knownHosts.set(baseUrl, host)
  return host
}

function partsOf(baseUrl: string): readonly string[] {
  const { hostname = '' } = URL.parse(baseUrl) ?? {}
  return (hostname.endsWith('.') ? hostname.slice(0, -1) : hostname).split('.')
}

const isAtStrictHost = (parts: readonly string[]): boolean => strictHosts.some((host) => isWithin(parts, host))

/** Whether a name is that of a host, or of one below it. */
function isWithin(parts: readonly string[], host: readonly string[]): boolean {
  const below = parts.length - host.length
  return below >= 0 && host.every((pattern, index) => fits(parts[below + index] ?? '', pattern))
}

function fits(part: string, pattern: string): boolean {
  const start = pattern.indexOf('{')
  if (start === -1) return part === pattern
  const end = pattern.slice(pattern.indexOf('}') + 1)
  return part.length > start + end.length && part.startsWith(pattern.slice(0, start)) && part.endsWith(end)
}
