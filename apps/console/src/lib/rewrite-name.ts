import { isMessageKey, type Translate } from './t.ts'

/** A kind of request rewriting in words. One that this page does not know, of a newer server, has its own name. */
export function rewriteName(kind: string, t: Translate): string {
  const key = `rewrite.${kind}`
  return isMessageKey(key) ? t(key) : kind
}
