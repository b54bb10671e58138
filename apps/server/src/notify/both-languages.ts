import { type MessageKey, type MessageParams, messageText } from '@sluice/contract'

/** A message in both languages: without a request, the reader's language is unknown. */
export function inBothLanguages(keys: { readonly title: MessageKey; readonly text: MessageKey }, params: MessageParams) {
  const both = (key: MessageKey, between: string): string => `${messageText(key, params)}${between}${messageText(key, params, 'zh')}`
  return { title: both(keys.title, ' / '), text: both(keys.text, '\n\n') }
}
