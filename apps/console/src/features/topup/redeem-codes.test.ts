import { describe, expect, test } from 'bun:test'
import { type CodeResult, readCodes, redeemEach, shopAddress } from './redeem-codes.ts'

const code = '0123456789abcdef0123456789abcdef'

describe('codes of a text', () => {
  test('are read one per line, without blanks and dashes around them', () => {
    expect(readCodes(' - abc \n\n\u200b— def –\r\nghi')).toEqual(['abc', 'def', 'ghi'])
  })

  test('that were generated may be written in groups', () => {
    expect(readCodes('01234567-89ab-cdef-0123-456789abcdef')).toEqual([code])
    expect(readCodes('0123 4567 89ab cdef 0123 4567 89ab cdef')).toEqual([code])
  })

  test('of another form keep the dashes inside', () => {
    expect(readCodes('SPRING-2026')).toEqual(['SPRING-2026'])
  })

  test('are taken once', () => {
    expect(readCodes(`${code}\n${code}`)).toEqual([code])
  })

  test('may be none', () => {
    expect(readCodes(' \n - \n')).toEqual([])
  })
})

describe('redeeming several codes', () => {
  const added: CodeResult = { kind: 'added', quota: 5 }
  const refused: CodeResult = { kind: 'refused', text: 'used' }

  async function outcome(results: Readonly<Record<string, CodeResult>>) {
    const redeemed: string[] = []
    const redeem = async (one: string) => {
      redeemed.push(one)
      return results[one] ?? added
    }
    const rows = await redeemEach(['a', 'b', 'c'], redeem, () => undefined)
    return { redeemed, kinds: rows.map(({ result }) => result.kind) }
  }

  test('goes on after a refused one', async () => {
    expect(await outcome({ b: refused })).toEqual({ redeemed: ['a', 'b', 'c'], kinds: ['added', 'refused', 'added'] })
  })

  test('stops when a response is lost', async () => {
    expect(await outcome({ b: { kind: 'unknown', text: 'lost' } })).toEqual({
      redeemed: ['a', 'b'],
      kinds: ['added', 'unknown', 'waiting'],
    })
  })

  test('stops when the server asks to wait', async () => {
    expect(await outcome({ b: { kind: 'waiting' } })).toEqual({ redeemed: ['a', 'b'], kinds: ['added', 'waiting', 'waiting'] })
  })
})

test('the address of the shop keeps its query and gets the account and the transaction', () => {
  const buyer = { username: 'ann & bob', id: 7 }
  expect(shopAddress('https://shop.example/buy?a=1#top', buyer, 'abc')).toBe(
    'https://shop.example/buy?a=1&username=ann+%26+bob&user_id=7&transaction_id=abc#top',
  )
})
