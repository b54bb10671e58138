/** The pattern for `LIKE ... ESCAPE '\'` that finds a text anywhere; wildcards in the text are escaped. */
export function likeAnywhere(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
