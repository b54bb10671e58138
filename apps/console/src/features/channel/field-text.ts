import type { ComparedValues } from '../../crud/conflict-panel.tsx'
import { currentLocale, isMessageKey, type Translate } from '../../lib/t.ts'
import { vendorByType, vendorName } from '../../lib/vendors.ts'

/** Parts of the configuration that nobody is shown. */
const secretParts: readonly string[] = ['sk', 'vertex_ai_adc']

/** The text of a field's value where the form compares two; `null` = as it is typed. */
export function fieldText(field: string, { value, other }: ComparedValues, t: Translate): string | null {
  if (field === 'type' && typeof value === 'number') {
    const vendor = vendorByType(value)
    return vendor === null ? t('channel.type.unknown', { type: value }) : vendorName(vendor, currentLocale())
  }
  return field === 'config' ? partsText(partsOf(value), partsOf(other), t) : null
}

/** The parts of the configuration that differ. */
function partsText(parts: Parts, others: Parts, t: Translate): string {
  const names = Object.keys(parts).filter((name) => parts[name] !== others[name])
  return names.map((name) => `${partName(name, t)}: ${partText(name, parts[name] ?? '', t)}`).join('\n')
}

function partText(name: string, part: string, t: Translate): string {
  if (part === '') return t('form.conflict.empty')
  return secretParts.includes(name) ? '•••' : part
}

type Parts = Readonly<Record<string, string>>

/** Holds: the form's configuration has a text for each of its parts. */
const partsOf = (config: unknown): Parts => ({ ...(config as Parts) })

function partName(name: string, t: Translate): string {
  const key = `channel.config.${name}`
  return isMessageKey(key) ? t(key) : name
}
