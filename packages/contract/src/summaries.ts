import { summariesOfLogins } from './summaries-of-logins.ts'
import { endsAccess, keptKey, mails, newRows, noted, pages, recentLogin, row, type Summary, wholeFile } from './summary.ts'

/** Every call of the contract, by its key (`callOf`). A test fails if one is missing. */
export const summaries: Readonly<Record<string, Summary>> = {
  'GET /api/status': row('What the console shows before anybody has logged in', '登录前控制台显示的信息'),
  'GET /api/status/connection': row(
    'How the server sees this request: scheme, host and client address, to check a proxy',
    '服务器看到的本次请求：协议、主机和客户端地址，用于检查反向代理',
  ),
  'GET /api/notice': row('The notice, as sanitised HTML or Markdown', '公告（已净化的 HTML 或 Markdown）'),
  'GET /api/about': row('The text about this installation', '关于页面的内容'),
  'GET /api/home_page_content': row('The text of the home page, or an address that it shows', '首页内容，或首页显示的网址'),

  'POST /api/user/login': noted(
    ['Log in', '登录'],
    ['Sets the session cookie. The name may be a mail address.', '设置会话 Cookie。用户名也可以是邮箱地址。'],
  ),
  'POST /api/user/setup': noted(
    ['Log in by the setup link', '通过初始化链接登录'],
    [
      'For the root account until it has a password. Sets the session cookie. The first start and `admin setup-link` print the link.',
      '用于尚未设置密码的 root 账户。设置会话 Cookie。首次启动和 `admin setup-link` 会输出该链接。',
    ],
  ),
  'GET /api/user/logout': row('Log out', '退出登录'),
  'POST /api/user/register': noted(['Register', '注册'], ['Does not log in.', '注册后不会自动登录。']),
  'GET /api/verification': noted(['Send a verification code to a mail address', '向邮箱发送验证码'], mails),
  'GET /api/reset_password': noted(['Send a link that resets the password', '发送重置密码的链接'], mails),
  'POST /api/user/reset': noted(
    ['Set a new password by the link of an email; returns the password', '通过邮件中的链接重置密码，返回新密码'],
    endsAccess,
  ),
  'GET /api/user/self': row('The own account', '自己的账户'),
  'PUT /api/user/self': noted(
    ['Change the own name or password', '修改自己的用户名或密码'],
    [
      'Another username or password takes a login of the last ten minutes or the current password. A new password ends the other sessions and, unless `revoke_access_tokens` is false, revokes the access tokens.',
      '修改用户名或密码需要在最近十分钟内登录，或提供当前密码。修改密码会结束其他会话，并撤销访问令牌（`revoke_access_tokens` 为 false 时除外）。',
    ],
  ),
  'DELETE /api/user/self': noted(['Delete the own account', '删除自己的账户'], recentLogin),
  'GET /api/user/token': noted(
    ['A new system access token', '生成新的系统访问令牌'],
    [
      'The old one stops working. It opens this API, never the relay. Takes a login of the last ten minutes.',
      '旧令牌立即失效。它只能用于本管理接口，不能用于转发接口。需要在最近十分钟内登录。',
    ],
  ),
  'POST /api/user/token': noted(
    ['A new system access token, by the current password', '凭当前密码生成新的系统访问令牌'],
    ['The same for a login that is longer ago.', '与上一项相同，用于登录已超过十分钟的会话。'],
  ),
  'DELETE /api/user/token': row('Revoke the system access token', '撤销系统访问令牌'),
  'GET /api/user/aff': row('The own invite code', '自己的邀请码'),
  'GET /api/user/invited': noted(
    ['Who registered by the own invitation, and what it earned', '通过自己的邀请注册的用户及获得的奖励'],
    pages,
  ),
  'GET /api/user/available_models': row('Models that the account may use', '账户可用的模型'),
  'GET /api/user/dashboard': row('Use of the last seven days, by day and model', '最近七天按日期和模型统计的用量'),
  'POST /api/user/topup': row('Redeem a code; returns the quota added', '兑换充值码，返回增加的额度'),

  'POST /api/user/login/code': row(
    'Complete a login by the code of an authenticator app, or by a recovery code',
    '用身份验证器应用的验证码或恢复码完成登录',
  ),
  'POST /api/user/login/passkey/begin': noted(
    ['Begin a login by passkey', '开始用通行密钥登录'],
    ['Returns the options for the browser; the challenge is valid once.', '返回浏览器所需的选项，其中的挑战只能使用一次。'],
  ),
  'POST /api/user/login/passkey': row('Log in by passkey, or complete a login by one', '用通行密钥登录或完成登录'),
  'POST /api/user/second_factor/clear': noted(
    ['Remove every second factor and passkey of an account of a lower role', '移除权限更低的用户的全部两步验证和通行密钥'],
    endsAccess,
  ),
  'GET /api/user': noted(['List accounts', '列出用户'], pages),
  'GET /api/user/search': row('Search accounts by id, name, display name or mail address', '按 ID、用户名、显示名称或邮箱搜索用户'),
  'GET /api/user/export': noted(['Export the accounts as CSV or JSON', '以 CSV 或 JSON 导出用户'], wholeFile),
  'GET /api/user/:id': row('One account', '查看一个用户'),
  'POST /api/user': row('Create an account', '创建用户'),
  'PUT /api/user': row('Change an account of a lower role', '修改权限更低的用户'),
  'POST /api/user/manage': noted(
    ['Promote, demote, ban, enable or delete an account of a lower role', '提升、降级、禁用、启用或删除权限更低的用户'],
    [
      'Takes effect at the next call of that account. `disable` and `promote` also revoke its access tokens, unless `revoke_access_tokens` is false.',
      '在该用户的下一次调用时生效。`disable` 和 `promote` 还会撤销其访问令牌（`revoke_access_tokens` 为 false 时除外）。',
    ],
  ),
  'DELETE /api/user/:id': row('Delete an account of a lower role', '删除权限更低的用户'),
  'POST /api/user/unbind': row('Remove a binding that the owner of an account has lost', '解除用户已丢失的绑定'),
  'GET /api/user/:id/access_tokens': row('The access tokens of an account of a lower role', '权限更低的用户的访问令牌'),
  'DELETE /api/user/:id/access_tokens/:token': noted(
    ['Revoke an access token of an account of a lower role', '撤销权限更低的用户的访问令牌'],
    ['`token` is the id of a personal access token, or `system`.', '`token` 为个人访问令牌的 ID，或 `system`。'],
  ),
  'POST /api/topup': row('Add quota to an account', '为用户增加额度'),

  'GET /api/channel': noted(['List channels', '列出渠道'], pages),
  'GET /api/channel/search': row('Search channels by id or name', '按 ID 或名称搜索渠道'),
  'GET /api/channel/models': row('Every built-in model name', '所有内置模型名称'),
  'GET /api/channel/test': noted(
    ['Test all channels, or the disabled ones', '测试全部渠道或已禁用的渠道'],
    ['Runs in the background; a second run is refused until the first has ended.', '在后台运行；上一次结束前不能再次开始。'],
  ),
  'GET /api/channel/progress': row(
    'How far the run over many channels is, or how the last one ended',
    '批量测试或查询余额的进度，或上一次的结果',
  ),
  'GET /api/channel/health': row(
    'Channels that requests have found trouble with, and for how long they are left alone',
    '请求遇到问题的渠道，以及暂停使用的时间',
  ),
  'GET /api/channel/board': row('Name, state and last test of every channel', '所有渠道的名称、状态与最近一次测试结果'),
  'GET /api/channel/tests': noted(
    ['The last tests of some channels', '部分渠道最近的测试'],
    ['`ids` is a comma list; the last twenty tests of each channel, newest first.', '`ids` 以逗号分隔；每个渠道最近二十次测试，新的在前。'],
  ),
  'GET /api/channel/test/:id': noted(
    ['Test one channel', '测试一个渠道'],
    [
      'Sends a minimal request, which the vendor may charge: an image costs its full price.',
      '会请求供应商生成该模型所能产出的最小结果，供应商可能收费；图片模型会产生一张图片的费用。',
    ],
  ),
  'POST /api/channel/test': noted(
    ['Test a channel before it is saved', '保存前测试渠道'],
    [
      'Nothing is stored. With an `id`, secrets that are left empty are those of that channel.',
      '不会保存任何内容。带有 `id` 时，留空的密钥等使用该渠道已保存的值。',
    ],
  ),
  'GET /api/channel/update_balance/:id': row('Ask the vendor for the balance of a channel', '向供应商查询一个渠道的余额'),
  'GET /api/channel/update_balance': row('Ask the vendors for the balances of all channels', '向供应商查询全部渠道的余额'),
  'GET /api/channel/:id/upstream_models': row(
    'The models that the key of a channel may use, as its vendor lists them',
    '供应商列出的、该渠道密钥可用的模型',
  ),
  'POST /api/channel/upstream_models': row('The same for a channel that is not saved yet', '同上，用于尚未保存的渠道'),
  'GET /api/channel/:id/webhook': row(
    'The URL to register with the vendor of a channel for task callbacks',
    '填写到渠道供应商处的地址，供其通知任务已完成',
  ),
  'GET /api/channel/unpriced': row('Those of some models that have no price', '列出其中没有价格的模型'),
  'GET /api/channel/:id/history': row('The last edits of a channel, with what was before', '渠道最近的修改及修改前的值'),
  'GET /api/channel/list_prices': row('The vendors’ list prices of some models', '其中各模型的供应商官方价格'),
  'PUT /api/channel/price': noted(
    ['Price a model: as free, like another one, or by token', '设置模型价格：免费、与另一个模型相同，或按 token 计价'],
    [
      'A personal access token needs option:write too, if the model has a price already.',
      '如果模型已有价格，个人访问令牌还需要 option:write 权限。',
    ],
  ),
  'GET /api/channel/export': noted(['Export the channels as CSV or JSON', '以 CSV 或 JSON 导出渠道'], wholeFile),
  'POST /api/channel/export': noted(
    ['Channels as a file that can be imported, without keys', '将渠道导出为可导入的文件，不含密钥'],
    [
      '`data` is the file: the channels of `ids`, else all that match. Keys, values of headers, passwords of proxies and secret parts of the configuration are left out.',
      '`data` 即文件内容：`ids` 指定的渠道；未指定时为所有符合条件的渠道。不含密钥、请求头的值、代理密码以及配置中的机密部分。',
    ],
  ),
  'POST /api/channel/export/keys': noted(
    ['The same with keys', '同上，包含密钥'],
    [
      'Within ten minutes of a login. The log says who did it, and for which channels.',
      '须在登录后十分钟内调用。日志会记录操作者和所涉及的渠道。',
    ],
  ),
  'POST /api/channel/import': noted(
    ['Import channels, or preview their import', '导入渠道，或预览导入结果'],
    [
      '`file` is an exported file, or the response of a one-api or new-api server to `GET /api/channel/`, with at most a hundred rows. What is invalid is left out; the others are added together or not at all. A row without its key is imported disabled. `dry_run` adds nothing.',
      '`file` 为导出的文件，或 one-api、new-api 服务器 `GET /api/channel/` 的返回内容，最多一百行。无效的行会被跳过；其余的行要么全部添加，要么都不添加。缺少密钥的渠道导入后处于禁用状态。`dry_run` 不添加任何渠道。',
    ],
  ),
  'GET /api/channel/:id': row('One channel, without its key', '查看一个渠道（不含密钥）'),
  'POST /api/channel': noted(
    ['Create channels', '创建渠道'],
    ['One channel for every line of the key.', '密钥每行一个，每行创建一个渠道。'],
  ),
  'PUT /api/channel': noted(['Change a channel', '修改渠道'], keptKey),
  'DELETE /api/channel/disabled': row('Delete all disabled channels; returns their number', '删除所有已禁用的渠道，返回删除的数量'),
  'DELETE /api/channel/:id': row('Delete a channel', '删除渠道'),

  'GET /api/token': noted(['List the own tokens', '列出自己的令牌'], pages),
  'GET /api/token/search': row('Search the own tokens by name', '按名称搜索自己的令牌'),
  'GET /api/token/export': noted(['Export the own tokens as CSV or JSON', '以 CSV 或 JSON 导出自己的令牌'], wholeFile),
  'GET /api/token/:id': row('One of the own tokens', '查看自己的一个令牌'),
  'POST /api/token': noted(
    ['Create a token', '创建令牌'],
    ['Clients of the relay send `sk-` and the key.', '调用转发接口时发送 `sk-` 加上密钥。'],
  ),
  'PUT /api/token': row('Change a token', '修改令牌'),
  'PUT /api/token?status_only': row('Enable or disable a token', '启用或禁用令牌'),
  'POST /api/token/:id/key': noted(
    ['Replace the key of a token', '更换令牌的密钥'],
    ['The old key is refused from the next request on.', '旧密钥从下一个请求起失效。'],
  ),
  'DELETE /api/token/:id': row('Delete a token', '删除令牌'),

  'GET /api/redemption': noted(['List redemption codes', '列出兑换码'], pages),
  'GET /api/redemption/search': row('Search redemption codes by id or name', '按 ID 或名称搜索兑换码'),
  'GET /api/redemption/export': noted(['Export the redemption codes as CSV or JSON', '以 CSV 或 JSON 导出兑换码'], wholeFile),
  'GET /api/redemption/:id': row('One redemption code', '查看一个兑换码'),
  'POST /api/redemption': row('Create redemption codes; returns them', '创建兑换码，返回全部兑换码'),
  'PUT /api/redemption': row('Change a redemption code', '修改兑换码'),
  'PUT /api/redemption?status_only': row('Enable or disable a redemption code', '启用或禁用兑换码'),
  'POST /api/redemption/:id/key': noted(
    ['Replace a redemption code', '更换兑换码'],
    ['The old code is refused from then on.', '旧兑换码立即失效。'],
  ),
  'DELETE /api/redemption/:id': row('Delete a redemption code', '删除兑换码'),

  'GET /api/model': noted(
    ['List the models that the account may use, with kinds, limits, prices and state', '列出账户可用的模型及其类型、限制、价格和状态'],
    [
      'Visitors get those of the group `default` if `PublicModelsEnabled` is on.',
      '开启 `PublicModelsEnabled` 后，访客可获取 `default` 分组的模型。',
    ],
  ),
  'GET /api/model/status': noted(
    ['How well each of these models was served in the last 24 hours and 90 days', '这些模型最近 24 小时和 90 天的可用率'],
    [
      'Only if `StatusPageEnabled` is on; visitors get the models of the group `default`. Responses may be a minute old.',
      '仅在开启 `StatusPageEnabled` 后可用；访客可获取 `default` 分组的模型。结果最多延迟一分钟。',
    ],
  ),
  'GET /api/route': noted(
    ['Explain which channels a request would try', '说明请求会尝试哪些渠道'],
    [
      'By the state of this moment: the order, the chances, and why others are left out. Nothing is sent.',
      '按当前状态给出顺序、概率以及其他渠道未被选用的原因，不会发送任何请求。',
    ],
  ),
  'GET /api/task': noted(['List the tasks of everybody', '列出所有人的任务'], pages),
  'GET /api/task/self': noted(['List the own tasks', '列出自己的任务'], pages),
  'GET /api/task/export': noted(['Export the tasks of everybody as CSV or JSON', '以 CSV 或 JSON 导出所有人的任务'], wholeFile),
  'GET /api/task/self/export': noted(['Export the own tasks as CSV or JSON', '以 CSV 或 JSON 导出自己的任务'], wholeFile),
  'GET /api/task/fields': noted(
    ['What an order of a model may have', '某个模型的任务可用的参数'],
    ['Durations, sizes, images and further parameters, for a form.', '时长、尺寸、图片及其他参数，供表单使用。'],
  ),
  'POST /api/task/estimate': noted(
    ['What an order would cost', '估算任务费用'],
    [
      'By the same rules as its reservation, for the groups of the account. Nothing is reserved, and nothing is sent.',
      '按账户分组，与预留额度使用相同的规则。不会预留额度，也不会发送任何请求。',
    ],
  ),
  'GET /api/task/:id': noted(
    ['One task, with its whole prompt', '查看一个任务，包含完整提示词'],
    [
      'Its owner and administrators. The addresses of its results work without a token for about an hour.',
      '仅限任务所有者和管理员。结果地址在约一小时内无需令牌即可访问。',
    ],
  ),
  'POST /api/task/:id/cancel': noted(
    ['Stop a task', '停止任务'],
    ['Where its vendor can stop it; a task that was stopped is free.', '需要供应商支持停止；已停止的任务不收费。'],
  ),
  'DELETE /api/task/:id': noted(
    ['Delete an ended task, here and at its vendor', '删除已结束的任务及供应商保存的内容'],
    ['Its log row and its charge stay.', '日志和扣费记录保留。'],
  ),

  'GET /api/ledger/set-aside': row('Charges that the database rejected', '被数据库拒绝而搁置的结算'),
  'GET /api/ledger/set-aside/:id': row('One of them with its operation', '其中一条及其操作内容'),
  'POST /api/ledger/set-aside/retry': row('Retry it as it was', '原样重试'),
  'POST /api/ledger/set-aside/resolve': row('Resolve it with another charge', '以指定金额处理'),
  'GET /api/ledger/check': noted(
    ['Whether every balance is the sum of its ledger entries', '每个余额是否等于其账目之和'],
    ['The result of the last look, which is taken every ten minutes.', '最近一次核对的结果；每十分钟核对一次。'],
  ),

  'GET /api/log': noted(['List the log of everybody', '列出所有人的日志'], pages),
  'GET /api/log/self': noted(['List the own log', '列出自己的日志'], pages),
  'GET /api/log/search': row('Search the log of everybody', '搜索所有人的日志'),
  'GET /api/log/self/search': row('Search the own log', '搜索自己的日志'),
  'GET /api/log/stat': row('Sums over the log of everybody', '所有人日志的合计'),
  'GET /api/log/self/stat': row('Sums over the own log', '自己日志的合计'),
  'GET /api/log/tail': noted(['Read what is new in the log of everybody', '读取所有人日志中的新内容'], newRows),
  'GET /api/log/self/tail': noted(['Read what is new in the own log', '读取自己日志中的新内容'], newRows),
  'GET /api/log/self/times': row('How long own requests took and how they ended', '本人请求的耗时与结束方式'),
  'GET /api/log/times': row('How long requests took and how they ended', '请求的耗时与结束方式'),
  'GET /api/log/self/series': row('Own use over time, for charts', '本人随时间变化的用量（用于图表）'),
  'GET /api/log/series': row('Use over time, for charts', '随时间变化的用量（用于图表）'),
  'GET /api/log/losses': row('Channels that cost more than was charged in the last seven days', '最近七天成本高于收费的渠道'),
  'GET /api/log/:id': row('Read a row of the log', '读取一条日志'),
  'GET /api/log/self/:id': row('Read a row of the own log', '读取自己的一条日志'),
  'GET /api/log/export': noted(['Export the log of everybody as CSV or JSON', '以 CSV 或 JSON 导出所有人的日志'], wholeFile),
  'GET /api/log/self/export': noted(['Export the own log as CSV or JSON', '以 CSV 或 JSON 导出自己的日志'], wholeFile),
  'DELETE /api/log': row('Delete the log before a time; returns the number of rows', '删除某一时间之前的日志，返回删除的行数'),

  'GET /api/option': noted(['List options', '列出选项'], ['Secret options are not among them.', '不包含机密选项。']),
  'PUT /api/option': noted(
    ['Change an option', '修改选项'],
    [
      'Values travel as text. An empty secret stays as it is, unless clear is true. A personal access token needs user:credentials too for options of logins, mail, addresses and networks; changes by a token of root are pending until root approves them.',
      '值以文本形式传递。空的机密选项保持不变，除非 clear 为 true。个人访问令牌修改登录、邮件、地址和网络相关选项时还需要 user:credentials 权限；超级管理员的令牌所做的此类修改需等待超级管理员确认。',
    ],
  ),
  'GET /api/option/history': row('The last changes of an option, with what was before', '选项最近的修改及修改前的值'),
  'GET /api/option/unreadable': noted(
    ['Count the rows with values that cannot be read with this master key', '统计无法用当前主密钥读取的数据'],
    ['They must be entered again. Counted in the background, at most every ten seconds.', '这些值需要重新填写。后台统计，最多每十秒一次。'],
  ),
  'GET /api/option/details': row(
    'Of each option: whether it is set, who changed it last, whether it is pending approval',
    '每个选项是否已设置、最后由谁修改、是否等待超级管理员确认',
  ),
  'POST /api/option/preview': row('Render a public text that is not saved yet', '预览尚未保存的公开内容'),
  'POST /api/option/test_mail': noted(['Send a test mail to the own address', '向自己的邮箱发送测试邮件'], mails),
  'POST /api/option/test_pusher': row('Send a test message through the message pusher', '通过消息推送服务发送测试消息'),
  'GET /api/option/release': noted(
    ['The latest release', '最新版本'],
    ['Asks the address of the variable RELEASES_URL.', '查询环境变量 RELEASES_URL 指定的地址。'],
  ),
  'GET /api/option/waiting': noted(
    ['Options pending approval by root', '等待超级管理员确认的选项'],
    [
      'Set or proposed by an administrator below root. A proposed value is not in force; until root confirms the others, administrators neither log in nor recover an account by what relies on them.',
      '由普通管理员设置或提交。待审批的值不会生效；其余选项在超级管理员确认之前，管理员不能通过依赖它们的方式登录或找回账户。',
    ],
  ),
  'POST /api/option/confirm': noted(
    ['Confirm the options that wait', '确认等待中的选项'],
    ['Takes the revision that was shown; with another one nothing is confirmed.', '需提供查看时得到的 revision；不一致时不确认任何选项。'],
  ),
  'POST /api/option/reject': noted(
    ['Reject the proposed value of an option', '驳回选项的待审批值'],
    [
      'The value in force stays. Takes the revision that was shown; with another one nothing changes.',
      '当前值继续生效。需提供查看时得到的 revision；不一致时不做任何更改。',
    ],
  ),
  'GET /api/group': row('Names of groups', '分组名称'),
  'GET /api/models': row('Built-in model names of each channel type', '各渠道类型的内置模型名称'),
  ...summariesOfLogins,
}
