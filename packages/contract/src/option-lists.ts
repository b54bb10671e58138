import { type OptionRow, type OptionSection, textOption } from './option-rows.ts'
import { cleanList, jsonTextMax } from './parts.ts'

/** RFC 1035. Much longer texts also take the engine of expressions another, slow way. */
const domainLengthMax = 253

/** Whether a text is a domain of mail addresses. */
export function isMailDomain(text: string): boolean {
  return text.length <= domainLengthMax && /^[a-z\d-]+(\.[a-z\d-]+)+$/i.test(text)
}

/** Whether a text can be the login name of an organisation at GitHub. */
export function isGithubName(text: string): boolean {
  return /^[a-z\d][a-z\d-]{0,38}$/i.test(text)
}

/** The name of a claim in an identity token. Providers use addresses as names too. */
export const claimName = (fallback: string, section: OptionSection): OptionRow<string> => ({
  ...textOption(fallback, section),
  parse: (text) => (/^[\w:./-]{1,128}$/.test(text) ? text : null),
})

/** A comma-separated list of domains, in lower case. */
export const domains = (fallback: string, section: OptionSection): OptionRow<readonly string[]> => ({
  parse: (text) => {
    const items = cleanList(text.toLowerCase())
    const list = items === '' ? [] : items.split(',')
    return list.every(isMailDomain) ? list : null
  },
  fallback,
  section,
  control: 'domains',
  lengthMax: jsonTextMax,
  secret: false,
})

/** Most names of a list. */
const namesMax = 100

/** A comma-separated list of names. */
export const names = (
  isName: (name: string) => boolean,
  section: OptionSection,
  { max = namesMax, placeholder = '' }: { readonly max?: number; readonly placeholder?: string } = {},
): OptionRow<readonly string[]> => ({
  parse(text) {
    const items = cleanList(text)
    const list = items === '' ? [] : items.split(',')
    return list.length <= max && list.every(isName) ? list : null
  },
  fallback: '',
  section,
  control: 'names',
  lengthMax: jsonTextMax,
  secret: false,
  placeholder,
})

const groupNameMax = 256

/** A comma-separated list of names that may have blanks. */
export const groupNames = (section: OptionSection): OptionRow<readonly string[]> => ({
  ...names((name) => name.length <= groupNameMax, section),
  control: 'text',
})
