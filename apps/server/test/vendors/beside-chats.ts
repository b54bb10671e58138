import type { Vendor } from '@sluice/vendors/core/vendor'
import { speakingMessages } from '@sluice/vendors/protocols/anthropic/native-vendor'
import { vendors } from '@sluice/vendors/registry/list'
import { type Example, type RequestFeature, requestFeatures } from './protocol-examples.ts'

const speakers = vendors.filter(({ messages }) => messages !== undefined)
const features: Readonly<Record<string, RequestFeature>> = requestFeatures

/** Whether the vendor gets such messages at its own host as they were sent. */
function passes(vendor: Vendor, { body }: Example): boolean {
  const model = vendor.models.names.find((name) => vendor.messages?.models.test(name) === true) ?? ''
  const whole = { model, max_tokens: 8_000, messages: [{ role: 'user', content: 'Hi' }], ...body }
  return speakingMessages(vendor, { body: whole, model, baseUrl: vendor.routes.baseUrl ?? '' }) !== null
}

/** What Anthropic's clients ask of vendors that take messages beside their chats. */
export function messagesBesideChats(): string {
  const rows = Object.entries({ text: { Anthropic: [{ body: {} }] }, ...features }).flatMap(([feature, { Anthropic: examples = [] }]) => {
    const cells = speakers.map((vendor) => (examples.every((example) => passes(vendor, example)) ? 'passed' : 'as chats'))
    return examples.length === 0 ? [] : [[feature, ...cells]]
  })
  const lines = [['Feature', ...speakers.map(({ name }) => name)], ['---', ...speakers.map(() => '---')], ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
