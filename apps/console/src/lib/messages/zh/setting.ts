import type { Message } from '../../message.ts'
import type { setting as en } from '../en/setting.ts'

export const setting = {
  'setting.title': '设置',
  'setting.tabs': '设置分类',
  'setting.tab.personal': '个人设置',
} as const satisfies Record<keyof typeof en, Message>
