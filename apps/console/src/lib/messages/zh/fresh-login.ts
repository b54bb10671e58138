import type { Message } from '../../message.ts'
import type { freshLogin as en } from '../en/fresh-login.ts'

export const freshLogin = {
  'freshLogin.title': '请确认是您本人',
  'freshLogin.text': '登录已超过十分钟，请输入密码后继续。',
  'freshLogin.password': '密码',
  'freshLogin.missing': '请输入密码',
  'freshLogin.submit': '确认',
  'freshLogin.again': '登录已超过十分钟，请重新登录后继续。',
  'freshLogin.login': '重新登录',
} as const satisfies Record<keyof typeof en, Message>
