import { describe, expect, test } from 'bun:test'
import { parseSubnet, type Subnet } from '../lib/cidr.ts'
import { clientAddress, isFromThisMachine, originOf } from './client-address.ts'

const subnets = (...ranges: readonly string[]): readonly Subnet[] =>
  ranges.map((range) => parseSubnet(range)).filter((range) => range !== null)
const proxies = subnets('10.0.0.0/8', 'fd00::/8')

describe('the address of a client', () => {
  test('is that of the socket if no proxy is trusted, whatever the client claims', () => {
    expect(clientAddress('203.0.113.5', '1.2.3.4', [])).toBe('203.0.113.5')
    expect(clientAddress('203.0.113.5', '1.2.3.4', proxies)).toBe('203.0.113.5')
  })

  test('is the rightmost one that is not a trusted proxy', () => {
    expect(clientAddress('10.0.0.1', '6.6.6.6, 198.51.100.7, 10.0.0.2', proxies)).toBe('198.51.100.7')
    expect(clientAddress('fd00::1', '6.6.6.6,2001:db8::9', proxies)).toBe('2001:db8::9')
  })

  test('is the first proxy if every hop is one, and the proxy that reported an empty hop', () => {
    expect(clientAddress('10.0.0.1', '10.0.0.3, 10.0.0.2', proxies)).toBe('10.0.0.3')
    expect(clientAddress('10.0.0.1', ' , 10.0.0.2', proxies)).toBe('10.0.0.2')
    expect(clientAddress('10.0.0.1', '', proxies)).toBe('10.0.0.1')
    expect(clientAddress('10.0.0.1', null, proxies)).toBe('10.0.0.1')
  })

  test('has one spelling: IPv4 inside IPv6 is IPv4', () => {
    expect(clientAddress('::ffff:203.0.113.5', null, [])).toBe('203.0.113.5')
    expect(clientAddress('::FFFF:10.0.0.1', '::ffff:198.51.100.7', proxies)).toBe('198.51.100.7')
  })

  test('is read from hops with ports and brackets', () => {
    for (const [hop, address] of [
      ['198.51.100.8:40001', '198.51.100.8'],
      ['[2001:db8::1]:443', '2001:db8::1'],
      ['[2001:db8::1]', '2001:db8::1'],
      ['[::ffff:198.51.100.8]:443', '198.51.100.8'],
      ['6.6.6.6, 198.51.100.8:40001, 10.0.0.2:443', '198.51.100.8'],
      ['6.6.6.6, [2001:db8::9], [fd00::2]:80', '2001:db8::9'],
    ] as const)
      expect([hop, clientAddress('10.0.0.1', hop, proxies)]).toEqual([hop, address])
  })

  test('is that of the proxy whose hop cannot be read, and no hop to the left of it counts', () => {
    for (const hop of [
      'unknown',
      '_hidden',
      '198.51.100.8:port',
      '198.51.100.8:123456',
      '[198.51.100.8]',
      '[2001:db8::1',
      '2001:db8::1]:443',
      '[]',
      '[]:1',
      '1.2.3',
      '0x7f.1',
      '"[2001:db8::1]:443"',
      'x'.repeat(60_000),
      '['.repeat(60_000),
      ':'.repeat(60_000),
      ','.repeat(60_000),
    ])
      expect(clientAddress('10.0.0.1', `198.51.100.7, ${hop}`, proxies)).toBe('10.0.0.1')
    expect(clientAddress('10.0.0.1', '198.51.100.7, unknown, 10.0.0.2', proxies)).toBe('10.0.0.2')
  })
})

describe('a request from this machine', () => {
  const isFromHere = (address: string, headers: Readonly<Record<string, string>> = {}) => isFromThisMachine(address, new Headers(headers))

  test('comes from a loopback address', () => {
    for (const address of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])
      expect([address, isFromHere(address)]).toEqual([address, true])
    for (const address of ['192.168.1.4', '10.1.2.3', '172.17.0.1', 'fd12::1', 'fe80::1', '203.0.113.5', '', 'unknown'])
      expect([address, isFromHere(address)]).toEqual([address, false])
  })

  test('has no field of a proxy, whatever the field says', () => {
    for (const name of [
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-proto',
      'x-forwarded-port',
      'forwarded',
      'x-real-ip',
      'via',
      'cf-connecting-ip',
      'true-client-ip',
    ])
      expect([name, isFromHere('127.0.0.1', { [name]: '127.0.0.1' })]).toEqual([name, false])
  })
})

describe('scheme and host', () => {
  const origin = (forwarded: Readonly<Record<string, string>>, isTrusted: boolean, publicAddress = '') =>
    originOf(new URL('http://inside:3000/'), new Headers(forwarded), { isTrusted, publicAddress })
  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'ai.example.com' }

  test('are taken from a trusted proxy only', () => {
    expect(origin(forwarded, true)).toEqual({ isSecure: true, host: 'ai.example.com' })
    expect(origin(forwarded, false)).toEqual({ isSecure: false, host: 'inside:3000' })
  })

  test('are https for the host of the configured https address', () => {
    expect(origin({}, false, 'https://inside:3000')).toEqual({ isSecure: true, host: 'inside:3000' })
    expect(origin({}, false, 'https://elsewhere')).toEqual({ isSecure: false, host: 'inside:3000' })
  })

  test('are not affected by invalid headers', () => {
    expect(origin({ 'x-forwarded-host': '%%%', 'x-forwarded-proto': ',' }, true)).toEqual({ isSecure: false, host: 'inside:3000' })
  })
})
