/** A text, or one text per plural form; `{name}` is a placeholder. */
export type Message = string | { readonly one?: string; readonly other: string }
