/** A text, or one text a plural form; `{name}` is filled in. */
export type Message = string | { readonly one?: string; readonly other: string }
