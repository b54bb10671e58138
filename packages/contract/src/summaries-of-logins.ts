import { noted, recentLogin, row, type Summary } from './summary.ts'

/** The calls of logins and of what accounts are protected by. */
export const summariesOfLogins: Readonly<Record<string, Summary>> = {
  'GET /api/oauth/state': row('Begin a login by another service', '开始第三方登录'),
  'GET /api/oauth/github': row('Log in, or bind the account, by GitHub', '通过 GitHub 登录或绑定'),
  'GET /api/oauth/google': row('Log in, or bind the account, by Google', '通过 Google 登录或绑定'),
  'GET /api/oauth/oidc': row('Log in, or bind the account, by the OpenID provider', '通过 OpenID 提供方登录或绑定'),
  'GET /api/oauth/lark': row('Log in, or bind the account, by Lark', '通过飞书登录或绑定'),
  'GET /api/oauth/wechat': row('Log in by a code from WeChat', '通过微信验证码登录'),
  'GET /api/oauth/wechat/bind': row('Bind WeChat to the account', '绑定微信'),
  'GET /api/oauth/email/bind': row('Bind a mail address to the account', '绑定邮箱'),
  'POST /api/oauth/unbind': noted(
    ['Remove a mail address or a login by another service from the account', '解除绑定邮箱或第三方登录'],
    ['Takes a login of the last ten minutes. The last way to log in stays.', '需要在最近十分钟内登录。最后一种登录方式不能解除。'],
  ),

  'GET /api/session': row('The sessions of the own account', '自己账户的会话'),
  'DELETE /api/session/:id': row('End a session of the own account', '结束自己账户的一个会话'),
  'DELETE /api/session': row('End all other sessions of the own account', '结束自己账户的其他所有会话'),
  'GET /api/second_factor': row('Whether logins of the own account ask for a second factor', '自己的账户登录时是否需要两步验证'),
  'PUT /api/second_factor': noted(['Turn two-factor authentication on or off', '启用或关闭登录的两步验证'], recentLogin),
  'POST /api/second_factor/app': noted(['A secret for an authenticator app', '获取身份验证器应用的密钥'], recentLogin),
  'POST /api/second_factor/app/confirm': noted(
    ['Confirm the authenticator app by a code of it', '用验证码确认身份验证器应用'],
    ['Returns the recovery codes, which are shown only here.', '返回恢复码，恢复码只在此显示一次。'],
  ),
  'DELETE /api/second_factor/app': noted(['Remove the authenticator app', '移除身份验证器应用'], recentLogin),
  'POST /api/second_factor/recovery_codes': noted(['New recovery codes', '生成新的恢复码'], recentLogin),
  'GET /api/passkey': row('The passkeys of the own account', '自己账户的通行密钥'),
  'POST /api/passkey/begin': noted(['Begin to add a passkey', '开始添加通行密钥'], recentLogin),
  'POST /api/passkey': noted(['Add a passkey', '添加通行密钥'], recentLogin),
  'PUT /api/passkey': row('Rename a passkey', '重命名通行密钥'),
  'DELETE /api/passkey/:id': noted(['Remove a passkey', '移除通行密钥'], recentLogin),
  'GET /api/access_token': row('The personal access tokens of the own account', '自己账户的个人访问令牌'),
  'POST /api/access_token': noted(
    ['Make a personal access token', '创建个人访问令牌'],
    [
      'It is shown in this response only. It opens this API, never the relay, and only as far as its scopes and the role of the account go.',
      '令牌只在此显示一次。它只能用于本管理接口，不能用于转发接口，且不超出其权限范围和账户的角色。',
    ],
  ),
  'GET /api/notification': row('The notification rules of the own account', '自己账户的通知规则'),
  'POST /api/notification': noted(
    ['Make a notification rule', '创建通知规则'],
    ['The secret of a webhook is shown in this response only.', 'Webhook 的密钥只在此显示一次。'],
  ),
  'PUT /api/notification': row('Change a notification rule', '修改通知规则'),
  'DELETE /api/notification/:id': row('Delete a notification rule', '删除通知规则'),
  'POST /api/notification/:id/test': noted(
    ['Send a test notification', '发送测试通知'],
    ['One attempt; the result is in the response and in the history.', '只尝试一次，结果在返回值和历史记录中。'],
  ),
  'GET /api/notification/history': noted(
    ['The notifications of the own account', '自己账户的通知记录'],
    ['Ten rows a page, page 0 first, newest first.', '每页十行，从第 0 页开始，新的在前。'],
  ),
  'DELETE /api/access_token/:id': row('Remove a personal access token', '移除个人访问令牌'),
}
