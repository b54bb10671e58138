/** The path of a request target, without its query. */
export function pathOf(url: string): string {
  const query = url.indexOf('?')
  return query === -1 ? url : url.slice(0, query)
}

/** The query of a request; empty if its address cannot be read. */
export function queryOf(url: string): URLSearchParams {
  return URL.parse(url, 'http://localhost')?.searchParams ?? new URLSearchParams()
}
