/** An address as logs and errors show it: its query may hold a credential or a signature. */
export function withoutQuery(url: string): string {
  const start = url.indexOf('?')
  return start === -1 ? url : url.slice(0, start)
}
