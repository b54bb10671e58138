import type { Message } from '../../message.ts'
import type { expiry as en } from '../en/expiry.ts'

export const expiry = {
  'expiry.label': '过期时间',
  'expiry.placeholder': 'YYYY-MM-DD HH:mm:ss，留空表示永不过期',
  'expiry.never': '永不过期。',
  'expiry.future': '将于 {relative}过期。',
  'expiry.error': '过期时间格式错误',
  'expiry.quick': '设置过期时间',
  'expiry.quick.never': '永不过期',
  'expiry.quick.year': '一年',
  'expiry.quick.month': '一个月',
  'expiry.quick.week': '一周',
  'expiry.quick.day': '一天',
  'expiry.quick.hour': '一小时',
  'expiry.quick.minute': '一分钟',
} as const satisfies Record<keyof typeof en, Message>
