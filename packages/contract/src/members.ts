import type { Language } from './messages/fill.ts'

type Words = readonly [en: string, zh: string]

/** Descriptions of members whose names and types are not enough. `noun.member` takes precedence over the plain name. */
const members: Readonly<Record<string, Words>> = {
  p: ['Page, from 0.', '页码，从 0 开始。'],
  keyword: ['What to look for; empty finds everything.', '搜索内容；为空时返回全部。'],
  order: ['Sorted by this, the largest first; empty: the newest first.', '排序字段，大的在前；为空时新的在前。'],
  role: ['1 user, 10 admin, 100 root.', '1 普通用户，10 管理员，100 超级管理员。'],
  status: ['1 active, 2 banned.', '1 已启用，2 已禁用。'],
  group: ['Names of groups, separated by commas.', '分组名称，用逗号分隔。'],
  models: ['Names of models, separated by commas.', '模型名称，用逗号分隔。'],
  quota: [
    'In whole units; 500,000 are a dollar unless the option QuotaPerUnit says otherwise.',
    '以整数单位计；默认 500000 为 1 美元，由选项 QuotaPerUnit 决定。',
  ],
  used_quota: ['What was spent so far.', '已使用的额度。'],
  created_time: ['Seconds since 1970.', '1970 年以来的秒数。'],
  shown: [
    'Fields that this call changes, as they were read. If one has another value by now, nothing is changed, and `changed_fields` names it.',
    '本次修改的字段在读取时的值。若其中某个字段已变为其他值，则不作任何修改，并在 `changed_fields` 中列出。',
  ],
  turnstile: ['Result of the bot check, if it is enabled.', '人机验证的结果（启用时需要）。'],
  password: ['8 to 128 characters; always empty in responses.', '8 到 128 个字符；在响应中总是为空。'],
  inviter_id: ['Who invited the account; 0 is nobody.', '邀请人；0 表示没有。'],
  aff_code: ['Invite code.', '邀请码。'],
  start_timestamp: ['Rows from this second on; 0 or nothing is no limit.', '起始时间（秒）；0 或为空表示不限。'],
  end_timestamp: ['Rows up to this second; 0 or nothing is no limit.', '结束时间（秒）；0 或为空表示不限。'],

  'ledger.checked_at': ['Seconds since 1970; 0: the first look is still running.', '1970 年以来的秒数；0 表示首次核对仍在进行。'],
  'ledger.unexplained': ['Quota that no entry explains, over all findings.', '所有差异中没有账目可解释的额度。'],
  'ledger.kind': ['settle: it charges; release: it does not.', 'settle 表示扣费，release 表示不扣费。'],
  'ledger.model_name': ['The model of the reservation; empty once it has ended.', '预留对应的模型；预留结束后为空。'],
  'ledger.set_aside': ['Charges that the database refused and nobody has retried or resolved.', '被数据库拒绝、尚未重试或处理的结算数量。'],
  'ledger.held': ['Quota that stays reserved for it.', '仍为其预留的额度。'],
  'ledger.tries': ['How often the database has refused it.', '被数据库拒绝的次数。'],
  'ledger.charge': [
    'Quota to charge, at most the larger of amount and held; 0 charges nothing.',
    '要扣除的额度，不超过 amount 与 held 中较大者；0 表示不扣费。',
  ],
  'ledger.created_at': ['When it was set aside, in seconds since 1970.', '被搁置的时间（1970 年以来的秒数）。'],
  'ledger.stale_holds': ['Holds that are older than the longest response.', '比任何响应都更久的预留。'],
  'ledger.requests': ['Among the newest log rows those of the last day.', '最新日志中最近一天的请求数。'],
  'ledger.estimated': ['Those of them that were charged by our own count.', '其中按本地计数收费的请求数。'],
  'status.start_time': ['Seconds since 1970.', '1970 年以来的秒数。'],
  'status.quota_per_unit': ['Units of quota in a dollar.', '1 美元对应的额度单位数。'],

  'account.password': [
    '8 to 128 characters; empty keeps the password. Always empty in responses.',
    '8 到 128 个字符；为空时保持不变，在响应中总是为空。',
  ],
  'account.current_password': [
    'The password as it is; needed where the login is more than ten minutes ago.',
    '当前密码；登录已超过十分钟时需要。',
  ],
  'account.verification_code': [
    'The code that was mailed; an account without a password needs it to set one.',
    '邮件中的验证码；没有密码的账户设置密码时需要。',
  ],
  'account.setup_pending': ['The account has no password yet, and its setup link is valid.', '账户尚未设置密码，其初始化链接仍然有效。'],
  'account.has_password': ['False: other services are the only way to log in.', 'false 表示只能通过其他服务登录。'],
  'account.recent_login': [
    'The login is at most ten minutes ago, so that this session may change credentials.',
    '登录未超过十分钟，此会话可以修改登录凭据。',
  ],
  'account.earned': ['Quota that was received for it.', '因此获得的额度。'],
  'option.clear': ['Removes a secret, whose value is then empty.', '移除机密选项，此时值为空。'],
  'option.revision': ['Names the values that were shown.', '标识所查看的值。'],
  'account.default_password': ['The account still has the built-in first password.', '账户仍在使用初始默认密码。'],

  'token.key': ['48 characters; clients of the relay send `sk-` and these.', '48 个字符；调用转发接口时发送 `sk-` 加上它。'],
  'token.status': ['1 enabled, 2 disabled, 3 expired, 4 used up.', '1 已启用，2 已禁用，3 已过期，4 已用尽。'],
  'token.expired_time': ['Seconds since 1970; -1 is never.', '1970 年以来的秒数；-1 表示永不过期。'],
  'token.accessed_time': ['Seconds since 1970.', '1970 年以来的秒数。'],
  'token.remain_quota': ['What the token may still spend.', '令牌剩余的额度。'],
  'token.unlimited_quota': ["The token is bounded by its owner's quota alone.", '令牌本身不限额，只受账户额度限制。'],
  'token.models': ['Names of models, separated by commas; empty is every model.', '模型名称，用逗号分隔；为空表示全部模型。'],
  'token.subnet': [
    'Address ranges as 10.0.0.0/8, separated by commas; empty is everywhere.',
    '允许的网段，如 10.0.0.0/8，用逗号分隔；为空表示不限。',
  ],

  'channel.type': ['Number of the vendor; `GET /api/models` lists them.', '供应商编号，见 `GET /api/models`。'],
  'channel.key': [
    'Goes in and never comes out; several keys, one a line, make several channels.',
    '只能写入，不会返回；创建时每行一个密钥，每个密钥一个渠道。',
  ],
  'channel.status': ['1 enabled, 2 disabled by a person, 3 disabled by the server.', '1 已启用，2 手动禁用，3 自动禁用。'],
  'channel.tag': ['A word for channels that belong together; searches find it.', '同类渠道的标签，可用于搜索。'],
  'channel.weight': ['How often among channels of the same priority.', '同优先级渠道之间的权重。'],
  'channel.priority': ['Higher ones are tried first.', '数值高的渠道优先。'],
  'channel.base_url': ["Address of the vendor; empty is the vendor's own.", '供应商地址；为空时使用默认地址。'],
  'channel.model_mapping': ['JSON object: requested model to the vendor’s model.', 'JSON 对象：请求的模型到供应商模型的映射。'],
  'channel.in_flight_max': ['Requests that may run at once; 0 is no limit.', '同时进行的请求数上限；0 表示不限。'],
  'channel.proxy': [
    'Address of an http or socks5 proxy, with a login where it needs one. The proxy resolves the name of the vendor. The password never comes out.',
    'http 或 socks5 代理的地址，需要时带上登录信息。供应商的域名由代理解析。密码不会返回。',
  ],
  'channel.headers': [
    'JSON object of headers that are sent along; `{api_key}` stands for the key. Values never come out, and an empty one stays as it is.',
    'JSON 对象，随请求发送的请求头；`{api_key}` 代表密钥。值不会返回，值为空时保持不变。',
  ],
  'channel.system_prompt': [
    'Stands before the messages of every chat and the instructions of every response.',
    '放在每次对话的消息和每个 response 的 instructions 之前。',
  ],
  'channel.first_byte_seconds': ['First-byte timeout; 0 = default.', '等待响应开始的最长时间；0 表示默认。'],
  'channel.idle_seconds': ['Idle timeout of a stream; 0 = default.', '流式响应中最长的静默时间；0 表示默认。'],
  'channel.total_seconds': ['Total timeout; 0 = default.', '单次响应的最长时间；0 表示默认。'],
  'channel.test_model': ['The model that tests ask; empty is chosen by the server.', '测试使用的模型；为空时由服务器选择。'],
  'channel.content_of_key': [
    'Whether requests may name files, caches, stores and prompts that the vendor keeps for the account of the key. Off in new channels; only root may switch it on.',
    '请求是否可以引用供应商为该密钥所属账户保存的文件、缓存、存储库和提示词。新建渠道默认关闭，只有超级管理员可以开启。',
  ],
  'channel.proxy_methods': [
    'For type 43: the methods that are forwarded, as a comma-separated list. A new channel needs one.',
    '仅用于类型 43：允许转发的方法，以逗号分隔。新建渠道时必填。',
  ],
  'channel.proxy_paths': [
    'For type 43: the beginnings of paths that are forwarded, as a comma-separated list; `/` is all. A new channel needs one.',
    '仅用于类型 43：允许转发的路径前缀，以逗号分隔；`/` 表示全部。新建渠道时必填。',
  ],
  'channel.allowed_members': [
    'Members of request bodies and types of tools, separated by commas, that this channel gets although what the vendor bills for them is not known, and `local_addresses` for addresses of the own network; only root may change it.',
    '即使无法得知供应商如何计费，也允许此渠道转发的请求体字段和工具类型，以逗号分隔；`local_addresses` 表示允许引用内网地址；只有超级管理员可以修改。',
  ],
  'channel.rewrites_off': [
    'Kinds of request rewriting that are switched off, separated by commas: `tool_names`, `call_ids`, `tools`, `files`, `parameters`, `output_limit`, `messages`, `client_lines`, `cache_marks`, `characters`.',
    '已关闭的请求改写类型，以逗号分隔：`tool_names`、`call_ids`、`tools`、`files`、`parameters`、`output_limit`、`messages`、`client_lines`、`cache_marks`、`characters`。',
  ],
  'channel.cost_factor': [
    'The part of the vendor’s list price that is paid for this channel: 1 is all of it, 0.8 is a discount of 20 %, 0 is nothing.',
    '该渠道实付金额占供应商官方价格的比例：1 为全价，0.8 为八折，0 为免费。',
  ],
  'channel.cost_prices': [
    'JSON object of models with what is paid for them where it is not the list price; the same fields as in the option `PriceRules`.',
    'JSON 对象，列出实付价格不同于官方价格的模型；字段与选项 `PriceRules` 相同。',
  ],
  'channel.auto_disable': ['Whether the server may disable the channel by itself.', '服务器是否可以自动禁用该渠道。'],
  'channel.config': [
    'JSON object of what some vendors need; secrets in it never come out.',
    'JSON 对象，部分供应商需要；其中的机密不会返回。',
  ],
  'channel.response_time': ['Milliseconds of the last test; 0 is untested.', '最近一次测试的毫秒数；0 表示未测试。'],
  'channel.test_time': ['Seconds since 1970.', '1970 年以来的秒数。'],
  'channel.balance_updated_time': ['Seconds since 1970.', '1970 年以来的秒数。'],
  'channel.created_at': ['When it was changed, in seconds since 1970.', '修改时间，1970 年以来的秒数。'],
  'option.created_at': ['When it was changed, in seconds since 1970.', '修改时间，1970 年以来的秒数。'],
  'channel.time': ['Seconds that the test took.', '测试耗时（秒）。'],

  'channel.scope': ['`all` or `disabled`; nothing is all.', '`all` 或 `disabled`；为空表示全部。'],
  'channel.work': ['`test` or `balance`; empty where nothing has run yet.', '`test` 或 `balance`；尚未运行时为空。'],
  'channel.started_time': ['Seconds since 1970; 0 is never.', '1970 年以来的秒数；0 表示从未运行。'],
  'channel.ended_time': ['Seconds since 1970; 0 while it runs.', '1970 年以来的秒数；运行中为 0。'],
  'channel.elapsed_time': ['Milliseconds that the test took.', '测试耗时（毫秒）。'],

  'redemption.key': ['The code.', '兑换码。'],
  'redemption.status': [
    '1 unused, 2 disabled, 3 used; in a filter also 4, unused and expired.',
    '1 未使用，2 已禁用，3 已使用；筛选时还有 4，表示未使用但已过期。',
  ],
  'redemption.expired_time': [
    'Seconds since 1970, from which on the code cannot be redeemed; -1 is never.',
    '1970 年以来的秒数，从此刻起不能再兑换；-1 表示永不过期。',
  ],
  'redemption.redeemed_time': ['Seconds since 1970; 0 is not yet.', '1970 年以来的秒数；0 表示尚未兑换。'],
  'redemption.count': ['How many codes to create; always 0 in responses.', '要创建的数量；在响应中总是 0。'],

  'log.type': ['1 top-up, 2 use, 3 administration, 4 system; 0 in a filter is all.', '1 充值，2 消费，3 管理，4 系统；筛选时 0 表示全部。'],
  'task.created_at': ['Seconds since 1970.', '1970 年以来的秒数。'],
  'task.ids': ['Only these, by commas; empty: all.', '仅这些 ID，用逗号分隔；为空时返回全部。'],
  'log.outcome': [
    'How a request ended: an `end_reason` other than `complete`, `broken` (any of these), or `failures` (those that the client did not cause).',
    '请求的结束方式：除 `complete` 外的某个 `end_reason`，`broken`（其中任意一种）或 `failures`（非客户端造成的）。',
  ],
  'log.duration': [
    'Requests by a band of their duration: `elapsed_500` took over 250 and at most 500 ms, `elapsed_more` over 128 s; `first_byte_...` is until the first byte. Of the newest 100,000 rows of the time.',
    '按耗时区间筛选请求：`elapsed_500` 为超过 250 毫秒且不超过 500 毫秒，`elapsed_more` 为超过 128 秒；`first_byte_...` 为首字节耗时。仅在该时段最新的 100,000 行内查找。',
  ],
  'log.created_at': ['Seconds since 1970.', '1970 年以来的秒数。'],
  'log.protocol': [
    'The protocol that the client spoke: `openai`, `anthropic` or `gemini`; empty where none is stored.',
    '客户端使用的协议：`openai`、`anthropic` 或 `gemini`；未保存时为空。',
  ],
  'log.kind': [
    'The kind of the request, such as `chat`, `responses`, `messages`, `generate` or `embeddings`.',
    '请求的类型，例如 `chat`、`responses`、`messages`、`generate` 或 `embeddings`。',
  ],
  'log.rewrites': [
    'What the gateway changed in the request before the vendor got it: the kind, and what in the words of the request.',
    '网关在将请求发送给供应商之前所做的改写：类型，以及以请求中的名称表示的内容。',
  ],
  'log.channel': ['Id of the channel; 0 is none.', '渠道 ID；0 表示没有。'],
  'log.elapsed_time': ['Milliseconds from the request to its end.', '请求的总毫秒数。'],
  'log.first_byte_time': ['Milliseconds to the first byte of the response.', '到首个字节的毫秒数。'],
  'log.target_timestamp': ['Rows from before this second are deleted.', '删除此时间（秒）之前的日志。'],
  'log.rpm': ['Requests of the last minute.', '最近一分钟的请求数。'],
  'log.tpm': ['LLM tokens of the last minute.', '最近一分钟的 Token 数。'],
  'log.group': [
    'One line for each `model`, `token`, `channel` or `user`; empty = one line.',
    '分组方式：`model`、`token`、`channel` 或 `user`；为空表示不分组。',
  ],
  'log.bucket': ['`hour` or `day`.', '`hour`（小时）或 `day`（天）。'],
  'log.utc_offset': ['Minutes east of UTC, where days begin at midnight.', '与 UTC 的时差（分钟，东为正），决定每天的起点。'],
  'log.time': ['When the hour or day begins, in seconds since 1970.', '小时或天的起点，1970 年以来的秒数。'],
  'log.is_other': ['Everything that no line of its own shows.', '未单独列出的其余部分。'],
  'log.token': ['Prompt and completion tokens together.', '提示与补全 token 的总和。'],

  'session.created_at': ['Seconds since 1970.', '1970 年以来的秒数。'],
  'session.seen_at': ['Seconds since 1970, to within an hour.', '1970 年以来的秒数，精确到一小时。'],
  'session.way': ['Steps of the login, such as `password,app`; empty is unknown.', '登录的各个步骤，例如 `password,app`；为空表示未知。'],
  'notification.threshold': [
    'Quota (balance, spend), a percentage from 1 to 100 (errors), or 0 (channel).',
    '额度（balance、spend）、1 到 100 的百分比（errors）或 0（channel）。',
  ],
  'notification.url': ['Address of a webhook; empty keeps the stored one.', 'Webhook 地址；为空时保留已存储的地址。'],
  'notification.ended_time': ['Seconds since 1970; 0: it waits.', '1970 年以来的秒数；0 表示等待中。'],
  'notification.next_time': [
    'When the next attempt is made, in seconds since 1970; 0: none is.',
    '下次尝试的时间，1970 年以来的秒数；0 表示没有。',
  ],
  'passkey.used_time': ['Seconds since 1970; 0 is never.', '1970 年以来的秒数；0 表示从未使用。'],
  'accessToken.scopes': [
    '`noun:read`, or `noun:write`, which includes reading; `read` is all reading, `all` is every call.',
    '`noun:read`，或包含读取的 `noun:write`；`read` 表示全部读取，`all` 表示全部调用。',
  ],
  'accessToken.expired_time': ['Seconds since 1970; -1 is never.', '1970 年以来的秒数；-1 表示永不过期。'],

  'option.key': ['Name of the option.', '选项名称。'],
}

export const describedMembers: readonly string[] = Object.keys(members)

/** The description of a member of a noun's calls, or `null`. */
export function memberText({ noun, member }: { readonly noun: string; readonly member: string }, language: Language): string | null {
  const words = members[`${noun}.${member}`] ?? members[member]
  return words?.[language === 'zh' ? 1 : 0] ?? null
}
