/** Values of variables by name. Values may be empty; a variable without a value is missing. */
export type Variables = Readonly<Record<string, string>>

/** `{{name}}`, with or without spaces around the name. A name begins with a letter or an underscore. */
const pattern = /\{\{\s*([\p{L}_][\p{L}\p{N}_.-]{0,63})\s*\}\}/gu

/** Most variables that have a field. */
const variablesMax = 30

/** The names of the variables in some texts, each once, in the order in which they come. */
export function variablesIn(texts: readonly string[]): readonly string[] {
  const names = texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name = '']) => name))
  return [...new Set(names)].slice(0, variablesMax)
}

/** A text with the values in the place of its variables. What has no value, or an empty one, stays: a prompt may be about such braces. */
export function filled(text: string, values: Variables): string {
  return text.replaceAll(pattern, (whole, name: string) => (Object.hasOwn(values, name) ? values[name] || whole : whole))
}

/** The values that texts use. */
export function valuesIn(texts: readonly string[], values: Variables): Variables {
  return Object.fromEntries(variablesIn(texts).flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name] ?? '']] : [])))
}
