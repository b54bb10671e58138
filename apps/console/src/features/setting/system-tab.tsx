import { OptionsTab } from './options-tab.tsx'
import { TestMail, TestPusher } from './test-buttons.tsx'
import type { TabProps } from './use-option-form.ts'

const extras = { 'system.smtp': { below: TestMail }, 'system.pusher': { below: TestPusher } } as const

export function SystemTab({ form }: TabProps) {
  return <OptionsTab tab="system" form={form} extras={extras} />
}
