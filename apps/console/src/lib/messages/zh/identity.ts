import type { Message } from '../../message.ts'
import type { identity as en } from '../en/identity.ts'

export const identity = {
  'bot.label': '人机验证',
  'bot.wait': '请稍后几秒重试，Turnstile 正在检查用户环境！',
  'bot.failed': '人机验证加载失败。请检查网络，或关闭拦截 challenges.cloudflare.com 的插件。',
  'code.label': '验证码',
  'code.send': '获取验证码',
  'code.again': '{count} 秒后可重发',
  'service.github': 'GitHub',
  'service.google': 'Google',
  'service.oidc': 'OpenID Connect',
  'service.lark': '飞书',
  'service.wechat': '微信',
  'oauth.noState': '服务器未能开始第三方登录，请重试。',
  'wechat.qr': '微信公众号二维码',
  'wechat.noQr': '管理员尚未设置二维码，请打开管理员告知的微信公众号。',
  'wechat.how': '微信扫码关注公众号，输入「验证码」获取验证码（三分钟内有效）。',
  'wechat.code': '验证码',
  'wechat.code.missing': '请输入微信公众号返回的验证码',
  'wechat.left': '剩余有效时间最多 {time}',
  'wechat.over': '验证码已过期，请再次发送「验证码」获取新的验证码。',
} as const satisfies Record<keyof typeof en, Message>
