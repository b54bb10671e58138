import type { Message } from '../../message.ts'
import type { notices as en } from '../en/notices.ts'

export const notices = {
  'options.waiting.title': '有设置项等待您确认',
  'options.waiting.text': '以下设置项由管理员修改。在您确认之前，管理员不能通过相关方式登录或重置密码。',
  'options.pending.text': '以下新值由管理员提交，在您批准之前当前值继续生效：',
  'options.upstreams.text': '已有多名管理员，渠道只能访问列表中的内网主机。现有渠道的主机已自动加入列表，请在“设置 > 系统设置”中核对：',
  'options.inForce': '（当前：{value}）',
  'options.reject': '驳回 {key}',
  'options.rejected': '已驳回新值',
  'proxies.open.title': '存在不受限的代理渠道',
  'proxies.open.text': '以下渠道会转发任意方法和任意路径的请求。请填写实际需要的方法和路径：',
  'hosts.any.title': '本服务器响应任意主机名',
  'hosts.any.text':
    '其他网站的页面可能借用自己的域名访问本服务器。请在设置中填写服务器地址，或在环境变量 ALLOWED_HOSTS 中列出所用的主机名。',
  'hosts.any.go': '打开设置',
  'logins.address.title': '以下登录方式缺少回调地址：{services}',
  'logins.address.text': '这些服务登录后需要跳转回本服务器。设置服务器地址之前，通过它们的登录将被拒绝。',
  'options.confirm': '确认',
  'options.confirmed': '设置项已确认',
  'options.secret': '（密钥）',
  'options.empty': '（空）',
  'unreadable.title': '部分已保存的值无法用当前主密钥读取',
  'unreadable.text': '请恢复正确的主密钥，或重新填写以下内容。令牌和身份验证器应用需由其所有者重新设置。',
  'unreadable.channels': '{count} 个渠道',
  'unreadable.tokens': '{count} 个令牌',
  'unreadable.redemptions': '{count} 个兑换码',
  'unreadable.options': '{count} 项设置',
  'unreadable.notification_rules': '{count} 个 Webhook',
  'unreadable.second_factors': '{count} 个身份验证器应用',
} as const satisfies Record<keyof typeof en, Message>
