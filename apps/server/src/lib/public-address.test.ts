import { expect, test } from 'bun:test'
import { isLocalAddress } from './public-address.ts'

test.each([
  ...['127.0.0.1', '10.1.2.3', '100.64.0.1', '169.254.169.254', '192.168.1.1', '::1', 'fd00::1', 'fe80::1'],
  ...[
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::',
    '::127.0.0.1',
    'fec0::1',
    '64:ff9b:1::1',
    '2001:0:7f00:1::',
    '2001:db8::1',
    '100::1',
    '3fff::1',
    '5f00::1',
  ],
])('%s is of a local network, or carries an address that may be', (address) => {
  expect(isLocalAddress(address)).toBe(true)
})

test.each(['1.1.1.1', '8.8.8.8', '2606:4700::1111', '2001:4860:4860::8888'])('%s is of the internet', (address) => {
  expect(isLocalAddress(address)).toBe(false)
})
