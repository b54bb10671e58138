/** What the pages of visitors and the personal settings share: the bot check, mailed codes, logins by other services. */
export const identity = {
  'bot.label': 'Bot check',
  'bot.wait': 'Please retry in a few seconds, Turnstile is checking the user environment!',
  'bot.failed': 'The bot check could not be loaded. Check your connection, or switch off what blocks challenges.cloudflare.com.',
  'code.label': 'Verification code',
  'code.send': 'Send code',
  'code.again': 'Again in {count} s',
  'service.github': 'GitHub',
  'service.google': 'Google',
  'service.oidc': 'OpenID Connect',
  'service.lark': 'Lark',
  'service.wechat': 'WeChat',
  'oauth.noState': 'The server gave no state for this login. Please try again.',
  'wechat.qr': 'QR code of the WeChat account',
  'wechat.noQr': 'No QR code is configured. Open the WeChat account that your administrator has named.',
  'wechat.how':
    'Scan the QR code with WeChat, follow the account, and send it “验证码”. It answers with a code that is valid for three minutes.',
  'wechat.code': 'Verification code',
  'wechat.code.missing': 'Enter the code from WeChat',
  'wechat.left': 'Valid for another {time} at most',
  'wechat.over': 'The three minutes are over. Send “验证码” again for a new code.',
} as const
