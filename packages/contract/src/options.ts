import { claimName, domains, groupNames, isGithubName, names } from './option-lists.ts'
import {
  addressForLater,
  approved,
  bool,
  hostName,
  httpUrlOrEmpty,
  imageOrEmpty,
  issuerOrEmpty,
  mailbox,
  matchingOrEmpty,
  nonNegative,
  numberWithin,
  type OptionRow,
  oneOf,
  portNumber,
  positiveNumber,
  priceRules,
  type Reliant,
  ratioOrEmpty,
  ratios,
  reliedOn,
  rootOnly,
  secretText,
  textOption,
  wholeNumber,
  withForm,
} from './option-rows.ts'
import { isPrivateHost, privateHostsMax } from './private-host.ts'

/** Largest grant to a new account: a balance can take nine thousand of them and stay a safe integer. */
const giftMax = 1_000_000_000_000

/** Every option: its parser, its default, and how the settings pages show it. Those of one section are shown in this order. */
export const options = {
  PasswordLoginEnabled: approved('off', withForm({ confirmsOff: true }, bool(true, 'system.login'))),
  PasswordRegisterEnabled: bool(true, 'system.login'),
  RegisterEnabled: bool(true, 'system.login'),
  EmailVerificationEnabled: bool(false, 'system.login'),
  /** Administrators may do what only they may only with a second factor. */
  AdminSecondFactorRequired: approved('off', bool(false, 'system.login')),
  /** Without it, login services log in to accounts that are there, and create none. */
  OAuthRegisterEnabled: reliedOn(['github', 'google', 'oidc', 'lark', 'wechat'], bool(true, 'system.login')),
  /** Domains of verified mail addresses that may log in by GitHub, Google or OpenID; empty = all. */
  OAuthMailDomains: reliedOn(['github', 'google', 'oidc'], domains('', 'system.login')),
  GitHubOAuthEnabled: approved('off', reliedOn(['github'], bool(false, 'system.login'))),
  GitHubClientId: reliedOn(['github'], textOption('', 'system.github')),
  GitHubClientSecret: reliedOn(['github'], secretText('system.github')),
  /** Organisations of which a login needs one; empty = none is needed. */
  GitHubOrganizations: reliedOn(['github'], names(isGithubName, 'system.github')),
  GoogleOAuthEnabled: approved('off', reliedOn(['google'], bool(false, 'system.login'))),
  GoogleClientId: reliedOn(['google'], textOption('', 'system.google')),
  GoogleClientSecret: reliedOn(['google'], secretText('system.google')),
  /** Google Workspace domains (the claim `hd`) of which a login needs one; empty = none is needed. */
  GoogleHostedDomains: reliedOn(['google'], domains('', 'system.google')),
  OidcEnabled: approved('off', reliedOn(['oidc'], bool(false, 'system.login'))),
  /** What the button of the login says. */
  OidcName: textOption('OpenID Connect', 'system.oidc'),
  OidcIssuer: reliedOn(['oidc'], issuerOrEmpty('system.oidc')),
  OidcClientId: reliedOn(['oidc'], textOption('', 'system.oidc')),
  OidcClientSecret: reliedOn(['oidc'], secretText('system.oidc')),
  /** Groups of which a login needs one, and the claim that has them; empty = none is needed. */
  OidcGroups: reliedOn(['oidc'], groupNames('system.oidc')),
  OidcGroupsClaim: reliedOn(['oidc'], claimName('groups', 'system.oidc')),
  LarkClientId: reliedOn(['lark'], textOption('', 'system.lark')),
  LarkClientSecret: reliedOn(['lark'], secretText('system.lark')),
  WeChatAuthEnabled: approved('off', reliedOn(['wechat'], bool(false, 'system.login'))),
  WeChatServerAddress: reliedOn(['wechat'], addressForLater('system.wechat')),
  WeChatServerToken: reliedOn(['wechat'], secretText('system.wechat')),
  WeChatAccountQRCodeImageURL: reliedOn(['wechat'], imageOrEmpty('system.wechat')),
  TurnstileCheckEnabled: reliedOn(['mail', 'wechat'], bool(false, 'system.login')),
  TurnstileSiteKey: reliedOn(['mail', 'wechat'], textOption('', 'system.turnstile')),
  TurnstileSecretKey: reliedOn(['mail', 'wechat'], secretText('system.turnstile')),
  EmailDomainRestrictionEnabled: reliedOn(['mail'], bool(false, 'system.email-domains')),
  EmailDomainWhitelist: reliedOn(
    ['mail'],
    domains('gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com', 'system.email-domains'),
  ),
  SMTPServer: reliedOn(['mail'], matchingOrEmpty(hostName, 'system.smtp')),
  SMTPPort: reliedOn(['mail'], portNumber(587, 'system.smtp')),
  /** TLS from the first byte on any port; port 465 has it without. */
  SMTPSSLEnabled: reliedOn(['mail'], bool(false, 'system.smtp')),
  SMTPAccount: reliedOn(['mail'], textOption('', 'system.smtp')),
  SMTPFrom: reliedOn(['mail'], matchingOrEmpty(mailbox, 'system.smtp')),
  SMTPToken: reliedOn(['mail'], secretText('system.smtp')),
  MessagePusherAddress: reliedOn(['news'], addressForLater('system.pusher')),
  MessagePusherToken: reliedOn(['news'], secretText('system.pusher')),
  ServerAddress: approved(
    'always',
    reliedOn(['mail', 'google', 'oidc', 'lark', 'sessions'], withForm({ cutsSlash: true }, httpUrlOrEmpty('system.general'))),
  ),
  /** Channels may have addresses in private networks that are not on the list. Switched off when a second administrator appears. */
  AllowPrivateUpstreams: rootOnly(reliedOn(['upstreams'], bool(true, 'system.upstreams'))),
  PrivateUpstreamHosts: rootOnly(
    reliedOn(['upstreams'], names(isPrivateHost, 'system.upstreams', { max: privateHostsMax, placeholder: '10.0.0.5:11434' })),
  ),
  Notice: textOption('', 'other.notice', 'markdown'),
  SystemName: textOption('Sluice', 'other.site'),
  /** Takes effect at the next start (specification, section 2). */
  Theme: withForm({ atNextStart: true }, oneOf(['default', 'berry', 'air'], 'other.site')),
  Logo: imageOrEmpty('other.site'),
  HomePageContent: textOption('', 'other.content', 'page'),
  About: textOption('', 'other.content', 'page'),
  Footer: textOption('', 'other.content', 'html'),
  TopUpLink: httpUrlOrEmpty('operations.general'),
  ChatLink: approved('always', reliedOn(['chat'], httpUrlOrEmpty('operations.general'))),
  QuotaPerUnit: withForm({ unit: 'quotaPerDollar' }, positiveNumber(500_000, 'operations.general')),
  RetryTimes: wholeNumber(3, 'operations.general'),
  /** Among channels of one priority: a weighted random choice, or, of two such choices, the one with fewer running requests. */
  ChannelChoice: oneOf(['weighted', 'least_loaded'], 'operations.general'),
  DisplayInCurrencyEnabled: bool(true, 'operations.general'),
  /** Visitors see the models with their prices; without it only accounts do. */
  PublicModelsEnabled: bool(false, 'operations.general'),
  /** Everybody sees how well the models work, visitors too. */
  StatusPageEnabled: bool(false, 'operations.general'),
  /** Clients that query their balance get the token's; otherwise the account's. */
  DisplayTokenStatEnabled: bool(true, 'operations.general'),
  /** If a vendor reports no usage, output tokens are estimated instead of counted. */
  ApproximateTokenEnabled: bool(false, 'operations.general'),
  LogConsumeEnabled: bool(true, 'operations.log'),
  /** Days that rows of the log are kept; 0 = for ever. */
  LogRetentionDays: withForm({ unit: 'days' }, wholeNumber(0, 'operations.log', 36_500)),
  /** Days that responses of vendors without stored responses are kept here, encrypted; 0 = none is. */
  ResponseRetentionDays: withForm({ unit: 'days' }, wholeNumber(30, 'operations.log', 3_650)),
  TaskRetentionDays: withForm({ unit: 'days' }, wholeNumber(30, 'operations.log', 3_650)),
  /** Hours that copies of the results of tasks are kept; 0 = none is made. */
  TaskResultHours: withForm({ unit: 'hours' }, wholeNumber(0, 'operations.log', 8_760)),
  /** Most that all copies may have; the oldest make room. */
  TaskResultGigabytes: withForm({ unit: 'gigabytes' }, wholeNumber(10, 'operations.log', 1_000_000)),
  /** Most that the content of stored responses may have; the oldest makes room. */
  ResponseGigabytes: withForm({ unit: 'gigabytes' }, wholeNumber(10, 'operations.log', 1_000_000)),
  /** Share of copies of results, and of stored responses, that one account may have. */
  AccountStoragePercent: withForm({ unit: 'percent' }, numberWithin(10, 'operations.log', [0.01, 100])),
  /** Clients get results of which there is no copy from this server, or are sent to the vendor's address where it needs no key. */
  TaskResultDelivery: oneOf(['proxy', 'redirect'], 'operations.log'),
  /** Seconds; a test that takes longer counts as failed. 0 = none is too slow. */
  ChannelDisableThreshold: withForm({ unit: 'seconds' }, nonNegative(5, 'operations.monitoring')),
  /** An account is notified by mail when its balance falls below this. */
  QuotaRemindThreshold: withForm({ unit: 'quota' }, wholeNumber(1_000, 'operations.monitoring')),
  /** Minutes between two tests of all channels; 0 = they are tested manually only. */
  ChannelTestFrequency: withForm({ unit: 'minutes' }, wholeNumber(0, 'operations.monitoring', 10_080)),
  AutomaticDisableChannelEnabled: bool(false, 'operations.monitoring'),
  AutomaticEnableChannelEnabled: bool(false, 'operations.monitoring'),
  QuotaForNewUser: withForm({ unit: 'quota' }, wholeNumber(0, 'operations.quota', giftMax)),
  /** Quota that every hold has at least (specification: pre-consumed quota). */
  PreConsumedQuota: withForm({ unit: 'quota' }, wholeNumber(500, 'operations.quota')),
  QuotaForInviter: withForm({ unit: 'quota' }, wholeNumber(0, 'operations.quota', giftMax)),
  QuotaForInvitee: withForm({ unit: 'quota' }, wholeNumber(0, 'operations.quota', giftMax)),
  /** Most quota of the first hold of a stream's output. */
  MaxReserve: withForm({ unit: 'quota' }, wholeNumber(500_000, 'operations.quota')),
  /** Most concurrent requests of one account whose largest cost is unknown, or not covered by its balance. */
  UnboundedRequestsMax: withForm({}, wholeNumber(4, 'operations.quota', 10_000)),
  /** What these requests of one account may cost beyond its balance, together. */
  UncoveredQuotaMax: withForm({ unit: 'quota' }, wholeNumber(500_000, 'operations.quota')),
  /** Most event streams of tasks that one token may have open. */
  TaskStreamsMax: withForm({}, wholeNumber(64, 'operations.quota', 10_000)),
  /** Price of a call through a raw proxy, in quota. */
  ProxyPrice: withForm({ unit: 'quota' }, wholeNumber(0, 'operations.quota', giftMax)),
  /** Most tokens of one account; 0 = no limit. Accounts that have more keep them. */
  TokensPerAccount: wholeNumber(1_000, 'operations.quota', 1_000_000),
  ModelRatio: ratios('{}'),
  CompletionRatio: ratios('{}'),
  GroupRatio: ratios('{"default":1,"vip":1,"svip":1}'),
  /** Factors of every price, by the type of the channel that serves the request (`{"33": 1.1}`), and by model. */
  ChannelTypeRatio: ratios('{}'),
  RetailRatio: ratios('{}'),
  /** Ratio of models without a price; empty = requests for them are refused. */
  UnpricedModelRatio: ratioOrEmpty('operations.ratios'),
  /** Converts built-in prices in yuan. After the ratios, because those are shown and saved at the rate before. */
  YuanPerDollar: numberWithin(7, 'operations.ratios', [0.01, 10_000]),
  /** Price of a completion token in a response with reasoning, as a factor of a prompt token's. */
  ThinkingRatio: withForm({ isRare: true }, ratios('{}')),
  /** Price of a prompt token read from the vendor's cache, as a factor of a prompt token's; the next: of one written to it. */
  CacheRatio: withForm({ isRare: true }, ratios('{}')),
  CreateCacheRatio: withForm({ isRare: true }, ratios('{}')),
  /** Price of a prompt token of audio, as a factor of a prompt token's; the next: of a completion token of audio, as a factor of that. */
  AudioRatio: withForm({ isRare: true }, ratios('{}')),
  AudioCompletionRatio: withForm({ isRare: true }, ratios('{}')),
  /** Price of a prompt token of an image, as a factor of a prompt token's. */
  ImageRatio: withForm({ isRare: true }, ratios('{}')),
  /** Dollars for a call, or for each image that it makes, whatever else it uses. */
  ModelPrice: withForm({ isRare: true }, ratios('{}')),
  /** All other parts of prices, by model. */
  PriceRules: withForm({ isRare: true }, priceRules),
} as const satisfies Record<string, OptionRow<unknown>>

export type OptionKey = keyof typeof options

/** All options with their values, typed by their rows. */
export type Settings = { readonly [K in OptionKey]: (typeof options)[K] extends OptionRow<infer Value> ? Value : never }

export const optionKeys: readonly OptionKey[] = Object.keys(options).filter((key): key is OptionKey => key in options)

/** The row of an option without its own type, for code that handles all of them. */
export function optionRow(key: OptionKey): OptionRow<unknown> {
  return options[key]
}

/** The features that rely on an option. */
export function reliantsOf(key: OptionKey): readonly Reliant[] {
  return options[key].reliedOnBy ?? []
}

/**
 * Whether an option decides who gets in, what is sent to people, or what this server reaches: all of the system settings, and what features
 * rely on or root has to approve elsewhere.
 */
export function isSecurityOption(key: OptionKey): boolean {
  const { section, approval, isRootOnly = false } = optionRow(key)
  return section.startsWith('system.') || reliantsOf(key).length > 0 || approval !== undefined || isRootOnly
}

export function isOptionKey(key: string): key is OptionKey {
  return Object.hasOwn(options, key)
}
