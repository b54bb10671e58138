import { OptionsTab } from './options-tab.tsx'
import { UpdateCheck } from './update-check.tsx'
import type { TabProps } from './use-option-form.ts'

const extras = { 'other.site': { below: UpdateCheck } } as const

export function OtherTab({ form }: TabProps) {
  return <OptionsTab tab="other" form={form} extras={extras} />
}
