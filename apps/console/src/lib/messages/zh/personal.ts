import type { Message } from '../../message.ts'
import type { personal as en } from '../en/personal.ts'

export const personal = {
  'personal.account': '账户',
  'personal.account.text': '当前登录账户：{name}。可在个人信息页修改名称和密码。',
  'personal.edit': '更新个人信息',

  'personal.invite': '邀请',
  'personal.invite.text': '通过你的链接注册的用户会记为由你邀请。',
  'personal.invite.link': '邀请链接',
  'personal.invite.copy': '复制邀请链接',
  'personal.invite.copied': '邀请链接已复制到剪贴板',

  'personal.delete': '删除账户',
  'personal.delete.text': '删除后令牌立即失效，剩余额度不予保留。',
  'personal.delete.root': '超级管理员账户不能删除。',
  'personal.delete.title': '删除账户 {name}？',
  'personal.delete.warning': '此操作不可恢复。你的令牌会立即失效，剩余额度不予保留。',
  'personal.delete.label': '请输入你的用户名 {name} 以确认删除',
  'personal.delete.mismatch': '请输入你的账户名以确认删除！',
  'personal.deleted': '账户已删除！',
} as const satisfies Record<keyof typeof en, Message>
