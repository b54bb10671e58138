import { currentLocale, isMessageKey, type Translate } from '../../lib/t.ts'
import { vendorByType, vendorName } from '../../lib/vendors.ts'

/** Parts of the configuration that nobody is shown. */
const secretParts: readonly string[] = ['sk', 'vertex_ai_adc']

/** The text of a field's value where the form compares two; `null` = as it is typed. */
export function fieldText(field: string, value: unknown, t: Translate): string | null {
  if (field === 'type' && typeof value === 'number') {
    const vendor = vendorByType(value)
    return vendor === null ? t('channel.type.unknown', { type: value }) : vendorName(vendor, currentLocale())
  }
  if (field !== 'config' || typeof value !== 'object' || value === null) return null
  const parts = Object.entries(value).filter(([, part]) => part !== '')
  return parts.map(([name, part]) => `${partName(name, t)}: ${secretParts.includes(name) ? '•••' : part}`).join('\n')
}

function partName(name: string, t: Translate): string {
  const key = `channel.config.${name}`
  return isMessageKey(key) ? t(key) : name
}
