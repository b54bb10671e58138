/** Back to where somebody came from, if that is a page of ours; else to the tokens. */
export function afterLogin(from: string | undefined): string {
  return from !== undefined && /^\/(?![/\\])/.test(from) && !/^\/login\b/.test(from) ? from : '/token'
}
