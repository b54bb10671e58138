import { isMessageKey, type Translate } from '../../lib/t.ts'

/** Members whose label in the form has another key. */
const labels: Readonly<Record<string, string>> = { base_url: 'baseUrl', group: 'groups', model_mapping: 'mapping' }

/** The label that a member of a channel has in the form; one without a label has its own name. */
export function channelMemberName(member: string, t: Translate): string {
  const key = `channel.${labels[member] ?? member}`
  return isMessageKey(key) ? t(key) : member
}
