import type { Message } from '../../message.ts'
import type { login as en } from '../en/login.ts'

export const login = {
  'login.title': '登录 {name}',
  'login.username': '用户名或邮箱',
  'login.password': '密码',
  'login.submit': '登录',
  'login.busy': '正在登录…',
  'login.done': '登录成功！',
  'login.expired': '未登录或登录已过期，请重新登录',
  'login.default': '你正在使用默认密码，请立即修改默认密码。',
  'login.username.missing': '请输入用户名或邮箱',
  'login.password.missing': '请输入密码',
} satisfies Record<keyof typeof en, Message>
