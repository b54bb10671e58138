import type { Message } from '../../message.ts'
import type { secondStep as en } from '../en/second-step.ts'

export const secondStep = {
  'secondStep.title': '两步验证',
  'secondStep.text': '此账户已启用两步验证。',
  'secondStep.code': '验证码',
  'secondStep.hint': '身份验证器应用中的六位数字，或一个恢复码。',
  'secondStep.missing': '请输入验证码',
  'secondStep.submit': '继续',
  'secondStep.passkey': '使用通行密钥',
  'secondStep.cancel': '重新开始',
} as const satisfies Record<keyof typeof en, Message>
