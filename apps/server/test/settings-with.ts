import { type OptionKey, optionKeys, options, type Settings } from '@sluice/contract'

/** Default settings, except for these texts. */
export function settingsWith(texts: Partial<Record<OptionKey, string>> = {}): Settings {
  const entries = optionKeys.map((key) => [key, options[key].parse(texts[key] ?? options[key].fallback)] as const)
  const unread = entries.filter(([, value]) => value === null).map(([key]) => key)
  if (unread.length > 0) throw new Error(`no value of ${unread.join()}`)
  // Holds: each value was parsed by its own row, from which the type `Settings` is derived.
  return Object.fromEntries(entries) as unknown as Settings
}
