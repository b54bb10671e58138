import type { Message } from '../../message.ts'
import type { setting as en } from '../en/setting.ts'

export const setting = {
  'setting.title': '设置',
  'setting.tabs': '设置分类',
  'setting.tab.personal': '个人设置',
  'setting.tab.security': '安全设置',
  'setting.tab.notification': '通知',
  'setting.tab.operations': '运营设置',
  'setting.tab.system': '系统设置',
  'setting.tab.other': '其他设置',
  'setting.tab.unsaved': '有未保存的修改',
  'setting.search': '搜索设置项',
} as const satisfies Record<keyof typeof en, Message>
