/** A text without the slashes at its end, in one pass: `/\/+$/` takes quadratic time on many slashes before other text. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === '/') end -= 1
  return text.slice(0, end)
}
