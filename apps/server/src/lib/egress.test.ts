import { expect, test } from 'bun:test'
import { networkInterfaces } from 'node:os'
import { isForbiddenAddress, isForbiddenTarget } from './egress.ts'
import { isLocalAddress } from './public-address.ts'

const ownPort = 3000

test('metadata services and link-local, unspecified and multicast addresses are refused in every spelling', () => {
  for (const address of [
    'http://169.254.169.254/latest/meta-data',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://169.254.169.254./',
    'http://[::ffff:169.254.169.254]/',
    // 169.254.169.254 in every form of IPv6 that embeds it
    'http://[::169.254.169.254]/',
    'http://[::ffff:0:a9fe:a9fe]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[64:ff9b:1::a9fe:a9fe]/',
    'http://[64:ff9b:1:a9fe:a9:fe00::]/',
    'http://[64:ff9b:1:a9:fe:a9fe::]/',
    'http://[64:ff9b:1::a9:fea9:fe00:0]/',
    'http://[2002:a9fe:a9fe::1]/',
    'http://[2001:0:a9fe:a9fe::1]/',
    'http://[2001::5601:5601]/',
    'http://[2001:db8::5efe:a9fe:a9fe]/',
    'http://[2001:db8::200:5efe:169.254.169.254]/',
    'http://168.63.129.16/machine',
    'http://192.0.0.192/latest/',
    'http://[fd20:ce::254]/',
    'http://[::ffff:168.63.129.16]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://metadata.google.internal/',
    'http://METADATA.google.internal./',
    'http://100.100.100.200/',
    'http://0.0.0.0:11434/',
    'http://[::]/',
    'http://224.0.0.1/',
    'not an address',
  ])
    expect([address, isForbiddenTarget(address, ownPort)]).toEqual([address, true])
})

test('this server itself is refused, another port of this machine is not', () => {
  for (const host of ['localhost', 'LOCALHOST.', '127.0.0.1', '127.9.9.9', '[::1]', '2130706433', '[::ffff:127.0.0.1]']) {
    expect([host, isForbiddenTarget(`http://${host}:3000/v1`, ownPort)]).toEqual([host, true])
    expect([host, isForbiddenTarget(`http://${host}:11434/v1`, ownPort)]).toEqual([host, false])
  }
  expect(isForbiddenTarget('http://127.0.0.1/', 80)).toBe(true)
  expect(isForbiddenTarget('https://127.0.0.1/', 443)).toBe(true)
})

test('this server itself is refused by every address of this machine', () => {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  expect(own.length).toBeGreaterThan(0)
  for (const { address, family } of own) {
    const host = family === 'IPv6' ? `[${address}]` : address
    expect([host, isForbiddenTarget(`http://${host}:3000/v1`, ownPort)]).toEqual([host, true])
    // Its public addresses are refused at every port.
    const isEveryPort = address.startsWith('fe80') || !isLocalAddress(address)
    expect([host, isForbiddenTarget(`http://${host}:11434/v1`, ownPort)]).toEqual([host, isEveryPort])
  }
  expect(isForbiddenTarget('http://sluice.localhost:3000/', ownPort)).toBe(true)
})

test('private and public networks are allowed: models run there', () => {
  for (const address of [
    'http://192.168.1.20:8000',
    'http://10.0.0.3',
    'http://ollama:11434',
    'https://api.example.com/v1',
    'http://[2001:db8::1]/',
  ])
    expect([address, isForbiddenTarget(address, ownPort)]).toEqual([address, false])
})

test('a name that resolves to such an address is refused too', () => {
  expect(isForbiddenAddress('169.254.169.254')).toBe(true)
  expect(isForbiddenAddress('93.184.216.34')).toBe(false)
})
