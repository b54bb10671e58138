/** The page before the login if it belongs to the console, or else the tokens. */
export function afterLogin(from: string | undefined): string {
  return from !== undefined && /^\/(?![/\\])/.test(from) && !/^\/login\b/.test(from) ? from : '/token'
}
