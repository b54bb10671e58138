/** Codes that one sending redeems at most. */
export const codesMax = 20

/** A blank or a dash of any script, at either end of a code. */
const around = /^[\s\p{Pd}\p{Cf}]+|[\s\p{Pd}\p{Cf}]+$/gu
const between = /[\s\p{Pd}]+/gu
/** A generated code. Some mails and printouts put it into groups. */
const generated = /^[\da-f]{32}$/i

/** The codes of a text with one on each line, without blanks and dashes around them, and each once. */
export function readCodes(text: string): readonly string[] {
  const codes = text
    .split(/[\n\r,;，；]+/)
    .map((line) => line.replace(around, ''))
    .filter((code) => code !== '')
    .map((code) => {
      const whole = code.replace(between, '')
      return generated.test(whole) ? whole : code
    })
  return [...new Set(codes)]
}

/** What became of a code. `unknown`: the response was lost, so it may have been redeemed. `waiting`: it was not sent. */
export type CodeResult =
  | { readonly kind: 'added'; readonly quota: number }
  | { readonly kind: 'refused' | 'unknown'; readonly text: string }
  | { readonly kind: 'waiting' }

export interface CodeRow {
  readonly code: string
  readonly result: CodeResult
}

/** Redeems one code after the other, so that the limit against guessing sees them as one person's. Stops when the server cannot respond. */
export async function redeemEach(
  codes: readonly string[],
  redeem: (code: string) => Promise<CodeResult>,
  show: (rows: readonly CodeRow[]) => void,
): Promise<readonly CodeRow[]> {
  let rows: readonly CodeRow[] = codes.map((code) => ({ code, result: { kind: 'waiting' } }))
  show(rows)
  for (const [index, code] of codes.entries()) {
    const result = await redeem(code)
    rows = rows.with(index, { code, result })
    show(rows)
    if (result.kind === 'unknown' || result.kind === 'waiting') break
  }
  return rows
}

/** The address of the shop, with the account and a number for this purchase added to its own query. */
export function shopAddress(link: string, buyer: { readonly username: string; readonly id: number }, transaction: string): string {
  const address = new URL(link)
  address.searchParams.set('username', buyer.username)
  address.searchParams.set('user_id', String(buyer.id))
  address.searchParams.set('transaction_id', transaction)
  return address.href
}
