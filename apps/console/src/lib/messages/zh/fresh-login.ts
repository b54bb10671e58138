import type { Message } from '../../message.ts'
import type { freshLogin as en } from '../en/fresh-login.ts'

export const freshLogin = {
  'freshLogin.title': '请确认是您本人操作',
  'freshLogin.text': '为保障账户安全，请再次输入密码。',
  'freshLogin.password': '密码',
  'freshLogin.missing': '请输入密码',
  'freshLogin.submit': '确认',
  'freshLogin.again': '为保障账户安全，请重新登录后继续。',
  'freshLogin.login': '重新登录',
} as const satisfies Record<keyof typeof en, Message>
