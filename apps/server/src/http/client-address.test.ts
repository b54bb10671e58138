import { describe, expect, test } from 'bun:test'
import { parseSubnet, type Subnet } from '../lib/cidr.ts'
import { clientAddress, isFromNearby, originOf } from './client-address.ts'

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

  test('is the first proxy if every hop is one, and the last readable hop if one is empty', () => {
    expect(clientAddress('10.0.0.1', '10.0.0.3, 10.0.0.2', proxies)).toBe('10.0.0.3')
    expect(clientAddress('10.0.0.1', ' , 10.0.0.2', proxies)).toBe('10.0.0.2')
    expect(clientAddress('10.0.0.1', '', proxies)).toBe('10.0.0.1')
    expect(clientAddress('10.0.0.1', null, proxies)).toBe('10.0.0.1')
  })

  test('has one spelling: IPv4 inside IPv6 is IPv4', () => {
    expect(clientAddress('::ffff:203.0.113.5', null, [])).toBe('203.0.113.5')
    expect(clientAddress('::FFFF:10.0.0.1', '::ffff:198.51.100.7', proxies)).toBe('198.51.100.7')
  })

  test('ignores all hops to the left of an invalid one', () => {
    expect(clientAddress('10.0.0.1', '198.51.100.7, unknown', proxies)).toBe('unknown')
  })
})

describe('a client nearby', () => {
  test('has a private address', () => {
    for (const address of ['127.0.0.1', '::1', '192.168.1.4', '10.1.2.3', 'fd12::1', 'fe80::1'])
      expect(isFromNearby(address, null)).toBe(true)
    for (const address of ['203.0.113.5', '2001:4860::1', '', 'unknown']) expect(isFromNearby(address, null)).toBe(false)
  })

  test('is not a client from outside behind a proxy in the private network', () => {
    expect(isFromNearby('172.17.0.1', '203.0.113.5')).toBe(false)
    expect(isFromNearby('172.17.0.1', '192.168.1.4, 203.0.113.5')).toBe(false)
    expect(isFromNearby('172.17.0.1', '192.168.1.4')).toBe(true)
  })

  test('is not one that only claims a private address', () => {
    expect(isFromNearby('203.0.113.5', '127.0.0.1')).toBe(false)
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
