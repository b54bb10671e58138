import { allParts } from './late.ts'
import type { Message } from './message.ts'
import type { en } from './messages/en.ts'
import { type GroupKey, type TextGroup, textGroups } from './messages/groups.ts'
import { storage } from './storage.ts'
import { createStore, useStore } from './store.ts'
import { isolated } from './text.ts'

type BaseKey = keyof typeof en
export type MessageKey = BaseKey | GroupKey
export type MessageParams = Readonly<Record<string, string | number>>
export type Translate = (key: MessageKey, params?: MessageParams) => string

export const locales = ['en', 'zh'] as const
export type Locale = (typeof locales)[number]

/** The name of each language in that language. */
export const localeNames: Readonly<Record<Locale, string>> = { en: 'English', zh: '中文' }

/** Texts by key. A key whose group has not been loaded is missing. */
export type Catalogue = Readonly<Partial<Record<MessageKey, Message>>>

interface Loaded {
  readonly locale: Locale
  readonly catalogue: Catalogue
  readonly t: Translate
}

const active = createStore<Loaded>({ locale: 'en', catalogue: {}, t: (key) => key })
/** The groups that pages have requested, also while they load: a change of the language loads these again. */
const requestedGroups = new Set<TextGroup>()

const loaders: Readonly<Record<Locale, () => Promise<Readonly<Record<BaseKey, Message>>>>> = {
  en: async () => (await import('./messages/en.ts')).en,
  zh: async () => (await import('./messages/zh.ts')).zh,
}

/** The stored language, else the browser's first language with a catalogue, else English. */
export function preferredLocale(stored: unknown, languages: readonly string[]): Locale {
  const preferences = [typeof stored === 'string' ? stored : '', ...languages].map((language) => language.toLowerCase().slice(0, 2))
  return preferences.map((language) => locales.find((locale) => locale === language)).find((locale) => locale !== undefined) ?? 'en'
}

/** Loads all texts in use before the switch, so that a page never mixes two languages. */
async function loadLocale(locale: Locale): Promise<void> {
  const [base, ...groups] = await Promise.all([loaders[locale](), ...[...requestedGroups].map((group) => textGroups[group][locale]())])
  const { locale: before, catalogue: known } = active.get()
  const catalogue = Object.assign({}, before === locale ? known : {}, base, ...groups)
  document.documentElement.lang = locale
  active.set({ locale, catalogue, t: translator(locale, catalogue) })
}

/** Adds the texts of a feature to the active language. Await it before its components are shown. */
async function loadTexts(name: TextGroup): Promise<void> {
  requestedGroups.add(name)
  await addTexts(name)
}

/** A page's module, loaded together with the texts that it uses. */
export function withTexts<M>(load: () => Promise<M>, ...groups: readonly TextGroup[]): () => Promise<M> {
  return () => allParts(load(), ...groups.map((group) => loadTexts(group)))
}

async function addTexts(name: TextGroup): Promise<void> {
  const { locale } = active.get()
  const texts = await textGroups[name][locale]()
  // The language may have changed meanwhile; the module of the other one is then loaded as well.
  if (active.get().locale !== locale) return addTexts(name)
  // Added in place: no component that is shown uses these keys yet, so none has to render again.
  Object.assign(active.get().catalogue, texts)
}

/** Knows the language at once, so that pages can load their texts together with those of the frame. */
export async function startLocale(): Promise<void> {
  const locale = preferredLocale(storage.readJson('ui-lang'), navigator.languages)
  active.set({ ...active.get(), locale })
  await loadLocale(locale)
}

export async function setLocale(locale: Locale): Promise<void> {
  await loadLocale(locale)
  storage.writeJson('ui-lang', locale)
}

export function translator(locale: Locale, catalogue: Catalogue): Translate {
  const plurals = new Intl.PluralRules(locale)
  return (key, params) => {
    const message = catalogue[key] ?? key
    // Most texts, of which a list asks for hundreds in each render.
    if (params === undefined && typeof message === 'string') return message
    const text = typeof message === 'string' ? message : pluralOf(message, plurals.select(Number(params?.['count'] ?? 0)))
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => isolated(String(params?.[name] ?? whole)))
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
  return Object.hasOwn(active.get().catalogue, text)
}
