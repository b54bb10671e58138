/** Where the path of a request's address begins. Bun gives the path alone where the request names no host, as health checks of HTTP/1.0 do. */
export function pathStart(url: string): number {
  return url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2)
}

/** The path of a request's address, without parsing the whole of it. */
export function pathOf(url: string): string {
  const start = pathStart(url)
  const query = url.indexOf('?', start)
  return query === -1 ? url.slice(start) : url.slice(start, query)
}
