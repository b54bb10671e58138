import { expect, test } from 'bun:test'
import { isSubnet } from './subnet.ts'

test.each([
  '10.0.0.0/8',
  '1.2.3.4/32',
  '1.2.3.4',
  '0.0.0.0/0',
  '2001:db8::/32',
  '::1',
  '::/0',
  '1:2:3:4:5:6:7:8/128',
  '::ffff:10.0.0.1/128',
])('%p is a subnet', (text) => expect(isSubnet(text)).toBe(true))

test.each([
  '',
  '10.0.0',
  '10.0.0.0/33',
  '256.1.1.1',
  '010.0.0.1',
  '1.2.3.4.',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '1::2::3',
  ':::',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8::',
  '2001:db8::/129',
  'host',
  'g::1',
])('%p is none', (text) => expect(isSubnet(text)).toBe(false))
