export type Language = 'en' | 'zh'

export type MessageParams = Readonly<Record<string, string | number>>

/** A text with its parameters filled in. A parameter that is not given stays visible as `{name}`. */
export function fill(text: string, params: MessageParams): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole))
}

/** Chinese if the first preferred language is any `zh`, otherwise English. */
export function languageOf(acceptLanguage: string | null): Language {
  return acceptLanguage?.trim().toLowerCase().startsWith('zh') ? 'zh' : 'en'
}
