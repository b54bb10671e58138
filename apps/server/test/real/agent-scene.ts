import { vendors } from '@sluice/vendors/registry/list'
import type { TestApp } from '../app.ts'
import { anthropicDouble } from '../vendors/doubles/anthropic.ts'
import { bedrockDouble } from '../vendors/doubles/bedrock.ts'
import { geminiDouble } from '../vendors/doubles/gemini.ts'
import { openaiDouble } from '../vendors/doubles/openai.ts'
import type { VendorDouble } from '../vendors/vendor-double.ts'

/** The vendor's name for itself and its model are in its record. */
const compatible = vendors.find(({ type }) => type === 36)
const compatibleDouble: VendorDouble = {
  ...openaiDouble,
  ...{ name: compatible?.name ?? '', type: 36, model: compatible?.models.names[0] ?? '' },
}
const newOpenai: VendorDouble = { ...openaiDouble, name: 'OpenAI, a model that reasons', model: 'gpt-5.5' }
const newClaude: VendorDouble = { ...anthropicDouble, name: 'Anthropic, a newer model', model: 'claude-opus-4-8' }

/** Vendors of every protocol; what agents send depends on the name of the model too. */
export const agentDoubles: readonly VendorDouble[] = [
  openaiDouble,
  newOpenai,
  geminiDouble,
  compatibleDouble,
  bedrockDouble,
  anthropicDouble,
  newClaude,
]

/** A channel of the vendor, and the key of a token that reaches no other. */
export async function makeAgentToken(app: TestApp, { type, key, model: models, config, other }: VendorDouble): Promise<string> {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const more = { ...(config === undefined ? {} : { config }), ...(other === undefined ? {} : { other }) }
  await app.make.channel({ groups, type, key, models, ...more })
  return (await app.make.token(await app.make.user({ groups, quota: 100_000_000 }), { isUnlimited: true })).key
}
