import { parseJsonText } from './parse-json-text.ts'
import { parseUrl } from './parse-url.ts'
import { addressMax, jsonTextMax } from './parts.ts'
import { type PriceRule, parsePriceRules } from './price-rules.ts'
import { withoutTrailingSlashes } from './trailing-slashes.ts'

/** The sections of the settings pages, in the order in which they are shown (specification, section 2). */
export const optionSections = {
  operations: ['general', 'log', 'monitoring', 'quota', 'ratios'],
  system: ['general', 'login', 'email-domains', 'smtp', 'github', 'google', 'oidc', 'lark', 'wechat', 'pusher', 'turnstile', 'upstreams'],
  other: ['notice', 'site', 'content'],
} as const

/** The settings page that shows an option. */
export type OptionTab = keyof typeof optionSections

/** A section is named by its tab too, because two tabs have one of the same name. */
export type OptionSection = { readonly [Tab in OptionTab]: `${Tab}.${(typeof optionSections)[Tab][number]}` }[OptionTab]

/**
 * How an option is entered. `domains` and `names` are comma-separated lists, `markdown` may contain HTML, `page` may also be the address of a page to
 * show, `ratios` is a JSON object of numbers, and `rules` a JSON object of objects.
 */
export type OptionControl =
  | 'switch'
  | 'text'
  | 'secret'
  | 'number'
  | 'choice'
  | 'domains'
  | 'names'
  | 'markdown'
  | 'page'
  | 'html'
  | 'ratios'
  | 'rules'

/** What a number counts. */
export type OptionUnit = 'quota' | 'quotaPerDollar' | 'seconds' | 'minutes' | 'hours' | 'days' | 'gigabytes' | 'percent'

/** Details of the control that most options do without. */
interface OptionForm {
  readonly unit?: OptionUnit
  /** Step of a number field. */
  readonly step?: number
  /** Whether a number has no decimals. */
  readonly isWhole?: boolean
  /** Whether 0 is no value of a number. */
  readonly isAboveZero?: boolean
  /** The least and the largest number; missing = from 0 on. */
  readonly range?: readonly [least: number, most: number]
  readonly placeholder?: string
  readonly choices?: readonly string[]
  /** Slashes at the end are cut off before the value is saved. */
  readonly cutsSlash?: boolean
  /** An empty field is not saved. */
  readonly skipsEmpty?: boolean
  /** Switching it off may lock people out, so it is confirmed first. */
  readonly confirmsOff?: boolean
  /** Rarely set, so the pages show it only on demand. */
  readonly isRare?: boolean
  /** The value takes effect at the next start of the server. */
  readonly atNextStart?: boolean
}

export interface OptionRow<Value> extends OptionForm {
  /** Reads the stored text; `null` = not a value of this option. */
  readonly parse: (text: string) => Value | null
  /** The default value, as text. */
  readonly fallback: string
  readonly section: OptionSection
  readonly control: OptionControl
  /** Most characters that can be saved; a text that is stored already may be longer. */
  readonly lengthMax: number
  /** Never sent to a client, and encrypted in the database. */
  readonly secret: boolean
  /**
   * Features that rely on this option for authentication, messages or keys. The role that set such an option last is stored: while it is
   * below root, these features can neither log in nor recover an administrator's account. Missing = none.
   */
  readonly reliedOnBy?: readonly Reliant[]
  /** Which values, set by a role below root, take effect only after root has approved them: all, or `false`. Missing = none. */
  readonly approval?: 'always' | 'off'
  /** Only root may change it. */
  readonly isRootOnly?: boolean
}

/**
 * Ways into an account (codes and links by mail, logins by other services), the sessions that pages of the public address may use, messages
 * to root, the chat application that is given keys, and channels to private networks.
 */
export type Reliant = 'mail' | 'github' | 'google' | 'oidc' | 'lark' | 'wechat' | 'sessions' | 'news' | 'chat' | 'upstreams'

/** Marks an option that features rely on. */
export const reliedOn = <Value>(reliedOnBy: readonly Reliant[], row: OptionRow<Value>): OptionRow<Value> => ({ ...row, reliedOnBy })

/** Marks an option whose values need root's approval before they take effect. */
export const approved = <Value>(approval: 'always' | 'off', row: OptionRow<Value>): OptionRow<Value> => ({ ...row, approval })

/** Marks an option that only root may change. */
export const rootOnly = <Value>(row: OptionRow<Value>): OptionRow<Value> => ({ ...row, isRootOnly: true })

/** Adds details of the control. */
export const withForm = <Value>(form: OptionForm, row: OptionRow<Value>): OptionRow<Value> => ({ ...row, ...form })

/** Most characters of an option by its control: a line, an address or a secret, a number or a word, or a document. */
const lineMax = 4_096
const wordMax = 64
const documentMax = 262_144
const documents: readonly OptionControl[] = ['markdown', 'page', 'html']

export const bool = (fallback: boolean, section: OptionSection): OptionRow<boolean> => ({
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : null),
  fallback: String(fallback),
  section,
  control: 'switch',
  lengthMax: wordMax,
  secret: false,
})

export const textOption = (fallback: string, section: OptionSection, control: OptionControl = 'text'): OptionRow<string> => ({
  parse: (value) => value,
  fallback,
  section,
  control,
  lengthMax: documents.includes(control) ? documentMax : lineMax,
  secret: false,
})

/** Write-only text. */
export const secretText = (section: OptionSection): OptionRow<string> => ({ ...textOption('', section, 'secret'), secret: true })

/** Trimmed text that matches a pattern, or empty. */
export const matchingOrEmpty = (form: RegExp, section: OptionSection): OptionRow<string> => ({
  ...textOption('', section),
  parse: (value) => (value.trim() === '' || form.test(value.trim()) ? value.trim() : null),
})

/** An image, which may be in the text itself. */
export const imageOrEmpty = (section: OptionSection): OptionRow<string> => ({
  ...matchingOrEmpty(image, section),
  lengthMax: documentMax,
})

/** An image: an address, a path of this server, or a data URL. Never a script. */
const image = /^https?:\/\/\S+$|^\/(?!\/)\S*$|^data:image\/[a-z]+;base64,[\w+/=]+$/i
export const hostName = /^[\w.-]+$|^[\da-f.]*:[\da-f:.]+$/i
export const mailbox = /^[^\s@<>,;]+@[^\s@<>,;]+$/

/** One of a few words. */
export const oneOf = (words: readonly [fallback: string, ...others: string[]], section: OptionSection): OptionRow<string> => ({
  ...textOption(words[0], section, 'choice'),
  parse: (text) => (words.includes(text) ? text : null),
  choices: words,
})

const isPlainNumber = (text: string): boolean => /^\d{1,16}(\.\d{1,9})?$/.test(text)

const numberOption = (fallback: number, section: OptionSection, isValid: (value: number) => boolean): OptionRow<number> => ({
  parse: (text) => (isPlainNumber(text) && isValid(Number(text)) ? Number(text) : null),
  fallback: String(fallback),
  section,
  control: 'number',
  lengthMax: wordMax,
  secret: false,
})

export const wholeNumber = (fallback: number, section: OptionSection, max = Number.MAX_SAFE_INTEGER): OptionRow<number> =>
  withForm(
    { step: 1, isWhole: true, ...(max < Number.MAX_SAFE_INTEGER && { range: [0, max] }) },
    numberOption(fallback, section, (value) => Number.isSafeInteger(value) && value <= max),
  )

export const portNumber = (fallback: number, section: OptionSection): OptionRow<number> =>
  withForm(
    { placeholder: String(fallback), skipsEmpty: true, isWhole: true, range: [1, 65_535] },
    numberOption(fallback, section, (value) => Number.isInteger(value) && value >= 1 && value <= 65_535),
  )

/** A decimal >= 0. */
export const nonNegative = (fallback: number, section: OptionSection): OptionRow<number> => numberOption(fallback, section, () => true)

/** A decimal > 0, which serves as a divisor. */
export const positiveNumber = (fallback: number, section: OptionSection): OptionRow<number> =>
  withForm(
    { step: 0.01, isAboveZero: true },
    numberOption(fallback, section, (value) => value > 0),
  )

/** A decimal in a range. */
export const numberWithin = (fallback: number, section: OptionSection, [least, most]: readonly [number, number]): OptionRow<number> =>
  withForm(
    { step: 0.01, range: [least, most] },
    numberOption(fallback, section, (value) => value >= least && value <= most),
  )

/** A price ratio, or empty. */
export const ratioOrEmpty = (section: OptionSection): OptionRow<number | ''> => ({
  parse: (text) => (text === '' ? '' : isPlainNumber(text) ? Number(text) : null),
  fallback: '',
  section,
  control: 'number',
  lengthMax: wordMax,
  secret: false,
})

/** Whether a text is an address that a web service may have. */
export function isHttpAddress(text: string): boolean {
  return /^https?:$/.test(parseUrl(text)?.protocol ?? '')
}

/**
 * An address that is stored unchecked, because compatible consoles save it at every keystroke. It is checked when it is used, and when a
 * feature that needs it is switched on.
 */
export const addressForLater = (section: OptionSection): OptionRow<string> => ({
  ...textOption('', section),
  lengthMax: addressMax,
  parse: (value) => withoutTrailingSlashes(value.trim()),
  cutsSlash: true,
})

export const httpUrlOrEmpty = (section: OptionSection): OptionRow<string> => ({
  ...textOption('', section),
  lengthMax: addressMax,
  parse(value) {
    const address = value.trim()
    return address === '' || isHttpAddress(address) ? withoutTrailingSlashes(address) : null
  },
})

/**
 * The issuer of an OpenID provider, as it names itself. Over http the names and keys of the provider could be replaced on the way, so that
 * is for names of the own network only.
 */
export const issuerOrEmpty = (section: OptionSection): OptionRow<string> => ({
  ...textOption('', section),
  lengthMax: addressMax,
  parse: (value) => (value.trim() === '' || isIssuer(value.trim()) ? value.trim() : null),
})

function isIssuer(text: string): boolean {
  const url = parseUrl(text)
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && /^(?:[\w-]+|[\d.]+|\[.*\])$/.test(url.hostname))
}

/** Reads `{"name": number}`; numbers are >= 0 and finite. */
function parseRatios(text: string): ReadonlyMap<string, number> | null {
  if (text.trim() === '') return new Map()
  try {
    const parsed = parseJsonText(text)
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null
    const entries = Object.entries(parsed)
    const isRatio = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0 && value < 1e9
    if (!entries.every((entry): entry is [string, number] => isRatio(entry[1]))) return null
    return new Map(entries)
  } catch {
    return null
  }
}

export const ratios = (fallback: string): OptionRow<ReadonlyMap<string, number>> => ({
  parse: parseRatios,
  fallback,
  section: 'operations.ratios',
  control: 'ratios',
  lengthMax: jsonTextMax,
  secret: false,
})

export const priceRules: OptionRow<ReadonlyMap<string, PriceRule>> = {
  parse: parsePriceRules,
  fallback: '{}',
  section: 'operations.ratios',
  control: 'rules',
  lengthMax: jsonTextMax,
  secret: false,
}
