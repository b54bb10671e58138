import type { ChannelFacts } from '../src/core/channel-config.ts'
import type { Target } from '../src/core/request.ts'
import { Rewrites } from '../src/core/rewrites.ts'
import type { Vendor } from '../src/core/vendor.ts'
import { addressed } from '../src/registry/channel-facts.ts'

/** The values that a test's channel has where its vendor asks for them. */
export const exampleConfig = {
  region: 'us-east-1',
  ak: 'AKIDEXAMPLE',
  sk: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  user_id: 'account-1',
  vertex_ai_project_id: 'project-1',
  vertex_ai_adc: '{"client_email":"robot@project-1.example","private_key":"none"}',
} as const

const noChannel: ChannelFacts = { baseUrl: 'https://upstream.example', key: 'key', config: {}, other: '' }

/** The parameters of a request; those that a test does not name are the usual ones. */
export function targetOf(params: Partial<Target> & Pick<Target, 'model'>): Target {
  return { kind: 'chat', stream: false, streamUsage: false, channel: noChannel, rewrites: new Rewrites(), ...params }
}

/** Names of all models of which something is known, also those that are not listed. */
export const knownModels = ({ models, docs }: Vendor): readonly string[] => [...models.names, ...(docs?.otherModels ?? [])]

/** A channel of the vendor, with everything that it needs. */
export function exampleChannel(vendor: Vendor, key = '<key>') {
  const fields = [...(vendor.configFields ?? []), ...(vendor.key.fields ?? [])]
  const config = JSON.stringify(Object.fromEntries(fields.map((field) => [field, exampleConfig[field]])))
  const baseUrl = vendor.routes.baseUrl === null ? 'https://upstream.example' : ''
  const address = addressed(vendor, { baseUrl, key, config, other: '' })
  if (address === null) throw new Error(`a channel of ${vendor.name} has no address`)
  return address
}
