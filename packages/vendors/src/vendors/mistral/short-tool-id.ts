/** The only form of ids that some vendors accept. */
const accepted = /^[a-zA-Z0-9]{9}$/
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const length = 9

/** An id of nine letters and digits: the same for a call and its result, because it is computed from the id alone. */
export function shortToolId(id: string): string {
  if (accepted.test(id)) return id
  let [one, other] = [0x811c9dc5, 0x9e3779b9]
  for (const char of id) {
    one = Math.imul(one ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0
    other = Math.imul(other ^ one, 0x85ebca6b) >>> 0
  }
  let rest = BigInt(one) * 4_294_967_296n + BigInt(other)
  let short = ''
  while (short.length < length) {
    short += letters.charAt(Number(rest % 62n))
    rest /= 62n
  }
  return short
}
