import { cleanList } from './parts.ts'
import { type PriceRule, parsePriceRules } from './price-rules.ts'

/** The settings page that shows an option (specification, section 2). */
export type OptionTab = 'operations' | 'system' | 'other'

interface OptionRow<Value> {
  /** Reads the stored text; `null` = not a value of this option. */
  readonly parse: (text: string) => Value | null
  /** The default value, as text. */
  readonly fallback: string
  readonly tab: OptionTab
  readonly section: string
  /** Never sent to a client, and encrypted in the database. */
  readonly secret: boolean
  /**
   * Features that rely on this option for authentication, messages or keys. The role that set such an option last is stored: while it is
   * below root, these features can neither log in nor recover an administrator's account. Missing = none.
   */
  readonly reliedOnBy?: readonly Reliant[]
}

/**
 * Ways into an account (codes and links by mail, logins by other services), the sessions that pages of the public address may use, messages
 * to root, and the chat application that is given keys.
 */
export type Reliant = 'mail' | 'github' | 'lark' | 'wechat' | 'sessions' | 'news' | 'chat'

type Place = Pick<OptionRow<unknown>, 'tab' | 'section'>

/** Marks an option that features rely on. */
const reliedOn = <Value>(reliedOnBy: readonly Reliant[], row: OptionRow<Value>): OptionRow<Value> => ({ ...row, reliedOnBy })

const operations = (section: string): Place => ({ tab: 'operations', section })
const system = (section: string): Place => ({ tab: 'system', section })
const other = (section: string): Place => ({ tab: 'other', section })

const bool = (fallback: boolean, place: Place): OptionRow<boolean> => ({
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : null),
  fallback: String(fallback),
  ...place,
  secret: false,
})

const textOption = (fallback: string, place: Place): OptionRow<string> => ({ parse: (value) => value, fallback, ...place, secret: false })

/** Write-only text. */
const secretText = (place: Place): OptionRow<string> => ({ ...textOption('', place), secret: true })

/** Trimmed text that matches a pattern, or empty. */
const matchingOrEmpty = (form: RegExp, place: Place): OptionRow<string> => ({
  ...textOption('', place),
  parse: (value) => (value.trim() === '' || form.test(value.trim()) ? value.trim() : null),
})

/** An image: an address, a path of this server, or a data URL. Never a script. */
const picture = /^https?:\/\/\S+$|^\/(?!\/)\S*$|^data:image\/[a-z]+;base64,[\w+/=]+$/i
const hostName = /^[\w.-]+$|^[\da-f.]*:[\da-f:.]+$/i
const mailbox = /^[^\s@<>,;]+@[^\s@<>,;]+$/

/** A comma-separated list of domains, in lower case. */
const domains = (fallback: string, place: Place): OptionRow<readonly string[]> => ({
  parse: (text) => {
    const items = cleanList(text.toLowerCase())
    const list = items === '' ? [] : items.split(',')
    return list.every((domain) => /^[a-z\d-]+(\.[a-z\d-]+)+$/.test(domain)) ? list : null
  },
  fallback,
  ...place,
  secret: false,
})

/** One of a few words. */
const oneOf = (words: readonly [fallback: string, ...others: string[]], place: Place): OptionRow<string> => ({
  ...textOption(words[0], place),
  parse: (text) => (words.includes(text) ? text : null),
})

const isPlainNumber = (text: string): boolean => /^\d{1,16}(\.\d{1,9})?$/.test(text)

const wholeNumber = (fallback: number, place: Place, max = Number.MAX_SAFE_INTEGER): OptionRow<number> => ({
  parse: (text) => (isPlainNumber(text) && Number.isSafeInteger(Number(text)) && Number(text) <= max ? Number(text) : null),
  fallback: String(fallback),
  ...place,
  secret: false,
})

const portNumber = (fallback: number, place: Place): OptionRow<number> => {
  const row = wholeNumber(fallback, place, 65_535)
  return { ...row, parse: (text) => row.parse(text) || null }
}

/** A decimal >= 0. */
const nonNegative = (fallback: number, place: Place): OptionRow<number> => ({
  parse: (text) => (isPlainNumber(text) ? Number(text) : null),
  fallback: String(fallback),
  ...place,
  secret: false,
})

/** A decimal > 0, which serves as a divisor. */
const positiveNumber = (fallback: number, place: Place): OptionRow<number> => ({
  parse: (text) => (isPlainNumber(text) && Number(text) > 0 ? Number(text) : null),
  fallback: String(fallback),
  ...place,
  secret: false,
})

/** A price ratio, or empty. */
const ratioOrEmpty = (place: Place): OptionRow<number | ''> => ({
  parse: (text) => (text === '' ? '' : isPlainNumber(text) ? Number(text) : null),
  fallback: '',
  ...place,
  secret: false,
})

/** Whether a text is an address that a web service may have. */
export function isHttpAddress(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '')
}

/**
 * An address that is stored unchecked, because compatible consoles save it at every keystroke. It is checked when it is used, and when a
 * feature that needs it is switched on.
 */
const addressForLater = (place: Place): OptionRow<string> => ({
  ...textOption('', place),
  parse: (value) => value.trim().replace(/\/+$/, ''),
})

const httpUrlOrEmpty = (place: Place): OptionRow<string> => ({
  parse: (value) => (value === '' || isHttpAddress(value) ? value.replace(/\/+$/, '') : null),
  fallback: '',
  ...place,
  secret: false,
})

/** Reads `{"name": number}`; numbers are >= 0 and finite. */
function parseRatios(text: string): ReadonlyMap<string, number> | null {
  if (text.trim() === '') return new Map()
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null
    const entries = Object.entries(parsed)
    const isRatio = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0 && value < 1e9
    if (!entries.every((entry): entry is [string, number] => isRatio(entry[1]))) return null
    return new Map(entries)
  } catch {
    return null
  }
}

const ratios = (fallback: string): OptionRow<ReadonlyMap<string, number>> => ({
  parse: parseRatios,
  fallback,
  ...operations('ratios'),
  secret: false,
})

const priceRules: OptionRow<ReadonlyMap<string, PriceRule>> = {
  parse: parsePriceRules,
  fallback: '{}',
  ...operations('ratios'),
  secret: false,
}

/** Largest grant to a new account: a balance can take nine thousand of them and stay a safe integer. */
const giftMax = 1_000_000_000_000

/** Every option: its parser, its default and where it is shown. */
export const options = {
  PasswordLoginEnabled: bool(true, system('login')),
  PasswordRegisterEnabled: bool(true, system('login')),
  RegisterEnabled: bool(true, system('login')),
  EmailVerificationEnabled: bool(false, system('login')),
  GitHubOAuthEnabled: reliedOn(['github'], bool(false, system('login'))),
  GitHubClientId: reliedOn(['github'], textOption('', system('github'))),
  GitHubClientSecret: reliedOn(['github'], secretText(system('github'))),
  LarkClientId: reliedOn(['lark'], textOption('', system('lark'))),
  LarkClientSecret: reliedOn(['lark'], secretText(system('lark'))),
  WeChatAuthEnabled: reliedOn(['wechat'], bool(false, system('login'))),
  WeChatServerAddress: reliedOn(['wechat'], addressForLater(system('wechat'))),
  WeChatServerToken: reliedOn(['wechat'], secretText(system('wechat'))),
  WeChatAccountQRCodeImageURL: reliedOn(['wechat'], matchingOrEmpty(picture, system('wechat'))),
  TurnstileCheckEnabled: reliedOn(['mail', 'wechat'], bool(false, system('login'))),
  TurnstileSiteKey: reliedOn(['mail', 'wechat'], textOption('', system('turnstile'))),
  TurnstileSecretKey: reliedOn(['mail', 'wechat'], secretText(system('turnstile'))),
  EmailDomainRestrictionEnabled: reliedOn(['mail'], bool(false, system('email-domains'))),
  EmailDomainWhitelist: reliedOn(
    ['mail'],
    domains('gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com', system('email-domains')),
  ),
  SMTPServer: reliedOn(['mail'], matchingOrEmpty(hostName, system('smtp'))),
  SMTPPort: reliedOn(['mail'], portNumber(587, system('smtp'))),
  SMTPAccount: reliedOn(['mail'], textOption('', system('smtp'))),
  SMTPFrom: reliedOn(['mail'], matchingOrEmpty(mailbox, system('smtp'))),
  SMTPToken: reliedOn(['mail'], secretText(system('smtp'))),
  MessagePusherAddress: reliedOn(['news'], addressForLater(system('pusher'))),
  MessagePusherToken: reliedOn(['news'], secretText(system('pusher'))),
  ServerAddress: reliedOn(['mail', 'lark', 'sessions'], httpUrlOrEmpty(system('general'))),
  /** Markdown with HTML in it. */
  Notice: textOption('', other('content')),
  /** Markdown with HTML in it, or the address of a page to show. */
  HomePageContent: textOption('', other('content')),
  About: textOption('', other('content')),
  Footer: textOption('', other('content')),
  SystemName: textOption('Sluice', other('content')),
  Logo: matchingOrEmpty(picture, other('content')),
  /** Takes effect at the next start (specification, section 2). */
  Theme: oneOf(['default', 'berry', 'air'], other('content')),
  TopUpLink: httpUrlOrEmpty(operations('general')),
  ChatLink: reliedOn(['chat'], httpUrlOrEmpty(operations('general'))),
  QuotaPerUnit: positiveNumber(500_000, operations('general')),
  RetryTimes: wholeNumber(3, operations('general')),
  /** Among channels of one priority: drawn by weight, or of two drawn by weight the one with fewer running requests. */
  ChannelChoice: oneOf(['weighted', 'least_loaded'], operations('general')),
  DisplayInCurrencyEnabled: bool(true, operations('general')),
  /** Clients that ask for their balance get the token's; otherwise the account's. */
  DisplayTokenStatEnabled: bool(true, operations('general')),
  /** If a vendor reports no usage, output tokens are estimated instead of counted. */
  ApproximateTokenEnabled: bool(false, operations('general')),
  LogConsumeEnabled: bool(true, operations('log')),
  /** Days that rows of the log are kept; 0 = for ever. */
  LogRetentionDays: wholeNumber(0, operations('log'), 36_500),
  /** Seconds; a test that takes longer counts as failed. 0 = none is too slow. */
  ChannelDisableThreshold: nonNegative(5, operations('monitoring')),
  /** Minutes between two tests of all channels; 0 = they are tested by hand only. */
  ChannelTestFrequency: wholeNumber(0, operations('monitoring'), 10_080),
  AutomaticDisableChannelEnabled: bool(false, operations('monitoring')),
  AutomaticEnableChannelEnabled: bool(false, operations('monitoring')),
  QuotaForNewUser: wholeNumber(0, operations('quota'), giftMax),
  QuotaForInviter: wholeNumber(0, operations('quota'), giftMax),
  QuotaForInvitee: wholeNumber(0, operations('quota'), giftMax),
  /** An account is notified by mail when its balance falls below this. */
  QuotaRemindThreshold: wholeNumber(1_000, operations('monitoring')),
  /** Quota that every hold has at least (specification: pre-consumed quota). */
  PreConsumedQuota: wholeNumber(500, operations('quota')),
  /** Largest hold of one answer that is not streamed, in quota. */
  MaxReserve: wholeNumber(500_000, operations('quota')),
  /** Price of a call through a raw proxy, in quota. */
  ProxyPrice: wholeNumber(0, operations('quota'), giftMax),
  ModelRatio: ratios('{}'),
  CompletionRatio: ratios('{}'),
  /** Price of a prompt token read from the vendor's cache, as a factor of a prompt token's; the next: of one written to it. */
  CacheRatio: ratios('{}'),
  CreateCacheRatio: ratios('{}'),
  /** Price of a prompt token of audio, as a factor of a prompt token's; the next: of a completion token of audio, as a factor of that. */
  AudioRatio: ratios('{}'),
  AudioCompletionRatio: ratios('{}'),
  /** Price of a prompt token of an image, as a factor of a prompt token's. */
  ImageRatio: ratios('{}'),
  /** Dollars for a call, or for each image that it makes, whatever else it uses. */
  ModelPrice: ratios('{}'),
  /** All other parts of prices, by model. */
  PriceRules: priceRules,
  GroupRatio: ratios('{"default":1,"vip":1,"svip":1}'),
  /** Ratio of models without a price; empty = requests for them are refused. */
  UnpricedModelRatio: ratioOrEmpty(operations('ratios')),
} as const satisfies Record<string, OptionRow<unknown>>

export type OptionKey = keyof typeof options

/** All options with their values, typed by their rows. */
export type Settings = { readonly [K in OptionKey]: (typeof options)[K] extends OptionRow<infer Value> ? Value : never }

export const optionKeys: readonly OptionKey[] = Object.keys(options).filter((key): key is OptionKey => key in options)

/** The features that rely on an option. */
export function reliantsOf(key: OptionKey): readonly Reliant[] {
  return options[key].reliedOnBy ?? []
}

export function isOptionKey(key: string): key is OptionKey {
  return Object.hasOwn(options, key)
}
