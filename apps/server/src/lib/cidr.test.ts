import { describe, expect, test } from 'bun:test'
import { clientKey, isInSubnets, parseSubnet } from './cidr.ts'

const within = (address: string, range: string): boolean => {
  const subnet = parseSubnet(range)
  return subnet !== null && isInSubnets(address, [subnet])
}

describe('a subnet', () => {
  test('is a range or a single address, of either family, and may be everything', () => {
    expect(within('10.200.3.4', '10.0.0.0/8')).toBe(true)
    expect(within('11.0.0.1', '10.0.0.0/8')).toBe(false)
    expect(within('192.0.2.7', '192.0.2.7')).toBe(true)
    expect(within('2001:db8:1::5', '2001:db8::/32')).toBe(true)
    expect(within('203.0.113.9', '0.0.0.0/0')).toBe(true)
    expect(within('2001:db8::1', '::/0')).toBe(true)
  })

  test('of one family holds no address of the other, and IPv4 inside IPv6 counts as IPv4', () => {
    expect(within('::1', '0.0.0.0/0')).toBe(false)
    expect(within('10.0.0.1', '::/0')).toBe(false)
    expect(within('::ffff:10.0.0.1', '10.0.0.0/8')).toBe(true)
  })

  test('is refused in a spelling that people could misread', () => {
    for (const text of [
      '',
      '10',
      '10.0.0.0/33',
      '1.2/8',
      '010.0.0.0/8',
      '10.0.0.0/',
      '10.0.0.0/-1',
      '::/129',
      '0x0a.0.0.1',
      'host/8',
      '10.0.0.256',
    ])
      expect([text, parseSubnet(text)]).toEqual([text, null])
  })

  test('is refused in time that is linear in the length of the text', () => {
    const startMs = performance.now()
    for (const text of [`${':'.repeat(1_000_000)}/`, `${'1.'.repeat(500_000)}/`, `${':1'.repeat(500_000)}/8`])
      expect(parseSubnet(text)).toBeNull()
    // Microseconds; with steps that grow as the square of the length, half an hour.
    expect(performance.now() - startMs).toBeLessThan(1_000)
  })

  test('does not contain a text that is not an address', () => {
    for (const address of ['', 'unknown', '10.0.0', "' OR 1=1"]) expect(within(address, '0.0.0.0/0')).toBe(false)
  })
})

test('a client with IPv6 is counted by its /64 network, of which it has every address', () => {
  expect(clientKey('2001:db8:1:2::a')).toBe(clientKey('2001:db8:1:2:ffff::b'))
  expect(clientKey('2001:db8:1:2::a')).not.toBe(clientKey('2001:db8:1:3::a'))
  expect(clientKey('203.0.113.5')).not.toBe(clientKey('203.0.113.6'))
  expect(clientKey('::ffff:203.0.113.5')).toBe(clientKey('203.0.113.5'))
})
