/** Parses a value of the address like the router, but not into a number that is written otherwise: `1e5` and `007` stay texts. */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return typeof value === 'number' && String(value) !== text ? text : value
}

/**
 * Parameters that are texts, whatever they look like. They are passed on as the router parsed them, because it would write another
 * address for a text like `123`; read them with `String`.
 */
export function readTexts<Name extends string>(
  ...names: readonly Name[]
): (search: Readonly<Record<string, unknown>>) => { readonly [Key in Name]?: unknown } {
  return (search) => {
    const present = names.filter((name) => search[name] !== undefined && search[name] !== '')
    // Holds: the keys are names.
    return Object.fromEntries(present.map((name) => [name, search[name]])) as { readonly [Key in Name]?: unknown }
  }
}
