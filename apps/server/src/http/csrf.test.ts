import { expect, test } from 'bun:test'
import { isCrossSite } from './csrf.ts'

const own = ['ai.example.com', 'inside:3000']
const crosses = (headers: Readonly<Record<string, string>>, hasSideEffect = true): boolean =>
  isCrossSite(new Headers(headers), { hosts: own, isConsole: false }, hasSideEffect)

test('scripts, which send none of the headers, are allowed', () => {
  expect(crosses({})).toBe(false)
})

test('our own pages are allowed, under each of our hosts and behind a proxy that changes the host', () => {
  expect(crosses({ origin: 'https://ai.example.com' })).toBe(false)
  expect(crosses({ origin: 'http://inside:3000' })).toBe(false)
  expect(crosses({ referer: 'https://ai.example.com/token' })).toBe(false)
  expect(crosses({ 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', origin: 'https://name-the-proxy-knows.example' })).toBe(false)
})

test('pages of other sites, of other hosts of the same site and of sandboxed frames are refused', () => {
  for (const site of ['cross-site', 'same-site', 'nonsense']) {
    expect(crosses({ 'sec-fetch-site': site })).toBe(true)
    expect(crosses({ 'sec-fetch-site': site }, false)).toBe(true)
  }
  expect(crosses({ origin: 'https://evil.example' })).toBe(true)
  expect(crosses({ origin: 'null' })).toBe(true)
  expect(crosses({ referer: 'https://ai.example.com.evil.example/' })).toBe(true)
  expect(crosses({ origin: 'https://evil.example', referer: 'https://ai.example.com/' })).toBe(true)
})

test('an address with a side effect cannot be opened as a page or loaded as an image, not even from our own pages', () => {
  expect(crosses({ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' })).toBe(true)
  expect(crosses({ 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' })).toBe(true)
  expect(crosses({ 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' })).toBe(true)
})

test('an address that only reads can be entered in the address bar', () => {
  expect(crosses({ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, false)).toBe(false)
})

test('a form, or JSON with a type of plain text, is refused whatever its other headers are', () => {
  for (const type of ['text/plain', 'text/plain;charset=UTF-8', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    expect(crosses({ 'content-type': type, origin: 'https://ai.example.com' })).toBe(true)
    expect(crosses({ 'content-type': type, 'sec-fetch-site': 'same-origin' })).toBe(true)
    expect(crosses({ 'content-type': type })).toBe(false)
  }
  expect(crosses({ 'content-type': 'application/json', origin: 'https://ai.example.com' })).toBe(false)
})

test('a console of another origin may call, but neither be a form nor open an address with a side effect as a page', () => {
  const fromConsole = (headers: Readonly<Record<string, string>>, hasSideEffect: boolean): boolean =>
    isCrossSite(new Headers({ origin: 'https://console.example', ...headers }), { hosts: own, isConsole: true }, hasSideEffect)
  const byScript = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
  for (const hasSideEffect of [true, false]) expect(fromConsole(byScript, hasSideEffect)).toBe(false)
  expect(fromConsole({ ...byScript, 'content-type': 'text/plain' }, true)).toBe(true)
  expect(fromConsole({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, true)).toBe(true)
})
