export type Language = 'en' | 'zh'

/** What fills the places of a text. A word that differs by language is given in each. */
export type MessageParams = Readonly<Record<string, string | number | Readonly<Record<Language, string>>>>

/** A text with its parameters filled in. A parameter that is not given stays visible as `{name}`. */
export function fill(text: string, params: MessageParams, language: Language): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name] ?? whole
    return String(typeof value === 'object' ? value[language] : value)
  })
}

/** Chinese if the first preferred language is any `zh`, otherwise English. */
export function languageOf(acceptLanguage: string | null): Language {
  return acceptLanguage?.trim().toLowerCase().startsWith('zh') ? 'zh' : 'en'
}
