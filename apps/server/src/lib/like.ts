/** A text to look for anywhere with `LIKE ... ESCAPE '\'`: its own wildcards mean themselves. */
export function likeAnywhere(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
