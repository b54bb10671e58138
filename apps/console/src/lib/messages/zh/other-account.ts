import type { Message } from '../../message.ts'
import type { otherAccount as en } from '../en/other-account.ts'

export const otherAccount = {
  'other.title': '当前登录的是 {name}',
  'other.title.unknown': '当前登录的是其他账户',
  'other.text': '您在其他标签页切换了账户，此页面（{own}）已无法保存或加载。重新加载之前，请先复制需要的内容。',
  'other.load': '以 {name} 的身份重新加载',
  'other.none': '您已在其他标签页退出登录',
  'other.none.text': '您填写的内容仍在此处。表单也会为 {own} 保留（密码和密钥除外），重新登录后即可恢复。',
  'other.login': '重新登录',
} as const satisfies Record<keyof typeof en, Message>
