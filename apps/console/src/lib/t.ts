import type { Message } from './message.ts'
import type { en } from './messages/en.ts'
import { storage } from './storage.ts'
import { createStore, useStore } from './store.ts'

export type MessageKey = keyof typeof en
export type MessageParams = Readonly<Record<string, string | number>>
export type Translate = (key: MessageKey, params?: MessageParams) => string

export const locales = ['en', 'zh'] as const
export type Locale = (typeof locales)[number]

/** The name of each language in that language. */
export const localeNames: Readonly<Record<Locale, string>> = { en: 'English', zh: '中文' }

interface Loaded {
  readonly locale: Locale
  readonly t: Translate
  readonly has: (key: string) => boolean
}

const active = createStore<Loaded>({ locale: 'en', t: (key) => key, has: () => false })

const loaders: Readonly<Record<Locale, () => Promise<Readonly<Record<MessageKey, Message>>>>> = {
  en: async () => (await import('./messages/en.ts')).en,
  zh: async () => (await import('./messages/zh.ts')).zh,
}

/** The stored language, else the browser's first language with a catalogue, else English. */
export function preferredLocale(stored: unknown, languages: readonly string[]): Locale {
  const wanted = [typeof stored === 'string' ? stored : '', ...languages].map((language) => language.toLowerCase().slice(0, 2))
  return wanted.map((language) => locales.find((locale) => locale === language)).find((locale) => locale !== undefined) ?? 'en'
}

/** Loads the catalogue before the switch, so that a page never mixes two languages. */
async function loadLocale(locale: Locale): Promise<void> {
  const catalogue = await loaders[locale]()
  document.documentElement.lang = locale
  active.set({ locale, t: translator(locale, catalogue), has: (key) => Object.hasOwn(catalogue, key) })
}

export async function startLocale(): Promise<void> {
  await loadLocale(preferredLocale(storage.readJson('ui-lang'), navigator.languages))
}

export async function setLocale(locale: Locale): Promise<void> {
  await loadLocale(locale)
  storage.writeJson('ui-lang', locale)
}

export function translator(locale: Locale, catalogue: Readonly<Record<MessageKey, Message>>): Translate {
  const plurals = new Intl.PluralRules(locale)
  return (key, params = {}) => {
    const message = catalogue[key]
    const text = typeof message === 'string' ? message : pluralOf(message, plurals.select(Number(params['count'] ?? 0)))
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole))
  }
}

function pluralOf(message: Exclude<Message, string>, form: Intl.LDMLPluralRule): string {
  return form === 'one' ? (message.one ?? message.other) : message.other
}

/** Texts of the active language; components that use it render again after a switch and keep their state. */
export function useT(): Translate {
  return useStore(active).t
}

export function useLocale(): Locale {
  return useStore(active).locale
}

/** For code outside of components: requests and toasts. */
export const currentLocale = (): Locale => active.get().locale
export const t: Translate = (key, params) => active.get().t(key, params)

export function isMessageKey(text: string): text is MessageKey {
  return active.get().has(text)
}
