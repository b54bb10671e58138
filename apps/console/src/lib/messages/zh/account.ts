import type { Message } from '../../message.ts'
import type { account as en } from '../en/account.ts'

export const account = {
  'account.title': '个人信息',
  'account.lead': '修改用户名、显示名称和密码。',
  'account.username': '用户名',
  'account.displayName': '显示名称',
  'account.displayName.hint': '空间足够时代替用户名显示。',
  'account.password': '新密码',
  'account.password.hint': '至少 8 个字符',
  'account.password.keep': '至少 8 个字符。留空则保留当前密码。',
  'account.password.must': '至少 8 个字符。此账户仍在使用安装时的初始密码。',
  'account.current': '当前密码',
  'account.current.hint': '登录已超过十分钟时需要填写。',
  'account.code': '邮箱验证码',
  'account.code.hint': '此账户尚未设置密码。验证码用于确认邮箱属于你。',
  'account.code.bind': '此账户既没有密码也没有邮箱。设置密码前请先绑定邮箱。',
  'account.code.sent': '验证码发送成功，请检查你的邮箱！',
  'account.group': '分组',
  'account.email': '邮箱',
  'account.github': 'GitHub',
  'account.wechat': '微信',
  'account.lark': '飞书',
  'account.unbound': '未绑定',
  'account.bindings': '账户与登录方式',
  'account.updated': '用户信息更新成功',
} as const satisfies Record<keyof typeof en, Message>
