import { expect, test } from 'bun:test'
import { connectionProxyFor, readExceptions, readProxyAddress, requestProxyFor } from './outgoing-proxy.ts'

test.each([
  // A name stands for all names below it, however it is written.
  [
    'example.com',
    ['https://example.com', 'https://a.b.example.com', 'http://EXAMPLE.com.:8080'],
    ['https://notexample.com', 'https://com'],
  ],
  ['.example.com', ['https://example.com', 'https://a.example.com'], ['https://notexample.com']],
  ['*.example.com', ['https://example.com', 'https://a.example.com'], ['https://example.com.evil.test']],
  ['Bücher.example', ['https://xn--bcher-kva.example'], ['https://bucher.example']],
  ['intranet', ['http://intranet', 'http://db.intranet'], ['http://intranet.example.com']],
  // A port narrows a name or an address.
  ['example.com:8443', ['https://example.com:8443'], ['https://example.com', 'https://a.example.com:9']],
  ['example.com:443', ['https://example.com'], ['http://example.com']],
  ['10.0.0.5:80', ['http://10.0.0.5'], ['http://10.0.0.5:81']],
  ['[2001:db8::1]:80', ['http://[2001:db8::1]'], ['http://[2001:db8::1]:81']],
  // Addresses and ranges.
  ['10.0.0.5', ['http://10.0.0.5', 'https://0xa000005'], ['http://10.0.0.50']],
  ['2001:db8::1', ['http://[2001:db8:0::1]'], ['http://[2001:db8::2]']],
  ['10.0.0.0/8, 2001:db8::/32', ['http://10.255.0.1:99', 'http://[2001:db8:1::1]'], ['http://11.0.0.1', 'http://ten.example']],
  // Separated by commas or spaces.
  [' a.example  b.example,,c.example ', ['http://a.example', 'http://b.example', 'http://c.example'], ['http://d.example']],
  ['*', ['https://anything.example', 'http://203.0.113.1'], []],
  // This machine, always.
  ['', ['http://localhost:11434', 'http://app.localhost', 'http://127.0.0.2', 'http://[::1]:80'], ['http://192.168.0.1']],
] as const)('NO_PROXY=%p', (list, excepted, others) => {
  const exceptions = readExceptions(list)
  const isExcepted = (address: string): boolean | undefined => exceptions?.isExcepted(new URL(address))
  expect(excepted.filter((address) => isExcepted(address) !== true)).toEqual([])
  expect(others.filter((address) => isExcepted(address) !== false)).toEqual([])
  expect(exceptions?.unreadable).toEqual([])
})

test('entries that are none are named, and the others count', () => {
  const exceptions = readExceptions('http://a.example, b.example, 10.0.0.0/99, a*b, c.example:99999999, user@d.example')
  expect(exceptions?.unreadable).toEqual(['http://a.example', '10.0.0.0/99', 'a*b', 'c.example:99999999', 'user@d.example'])
  expect(exceptions?.isExcepted(new URL('http://b.example'))).toBe(true)
})

test('a list has an end', () => {
  expect(readExceptions('a,'.repeat(1_000))).not.toBeNull()
  expect(readExceptions('a,'.repeat(1_001))).toBeNull()
  expect(readExceptions('a'.repeat(70_000))).toBeNull()
})

test.each([
  ['http://proxy.example:3128', 'http://proxy.example:3128'],
  ['http://proxy.example:3128/', 'http://proxy.example:3128'],
  ['proxy.example:3128', 'http://proxy.example:3128'],
  ['10.0.0.1:3128', 'http://10.0.0.1:3128'],
  ['http://ann:p%40ss@proxy.example', 'http://ann:p%40ss@proxy.example'],
  ['ann:secret@proxy.example:80', 'http://ann:secret@proxy.example'],
  ['socks5://proxy.example:1080', 'socks5://proxy.example:1080'],
  ['socks5h://ann:b@proxy.example', 'socks5://ann:b@proxy.example'],
  ['https://proxy.example', null],
  ['ftp://proxy.example', null],
  ['http://proxy.example/path', null],
  ['http://proxy.example?x', null],
  ['http://', null],
  ['http://ann:%ff@proxy.example', null],
  [`http://${'a'.repeat(3_000)}`, null],
] as const)('the proxy %p', (text, address) => {
  expect(readProxyAddress(text)).toBe(address)
})

test('the scheme of a request decides on its proxy', () => {
  const proxies = { https: 'http://a', http: 'http://b', other: 'http://c', isExcepted: () => false }
  const proxyFor = requestProxyFor(proxies)
  expect([proxyFor('https://x.example'), proxyFor('http://x.example')]).toEqual(['http://a', 'http://b'])
  expect(connectionProxyFor(proxies)('http://x.example:25')).toBe('http://c')
  expect(requestProxyFor({ ...proxies, http: null })('http://x.example')).toBeNull()
  expect(requestProxyFor({ ...proxies, https: null, http: null })('https://x.example')).toBeNull()
})
