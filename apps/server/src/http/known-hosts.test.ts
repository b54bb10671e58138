import { describe, expect, test } from 'bun:test'
import { readHost } from '../lib/read-host.ts'
import { createKnownHosts } from './known-hosts.ts'

const unset = {
  allowedHosts: [],
  consoleOrigins: [],
  publicAddress: () => '',
  isAddressConfirmed: () => true,
  isUpgraded: false,
}

/** Which of the hosts are accepted. */
function checkedHosts(deps: Partial<Parameters<typeof createKnownHosts>[0]>, fields: readonly string[]): readonly string[] {
  const { isKnown } = createKnownHosts({ ...unset, ...deps })
  return fields.filter((field) => isKnown(readHost(field)))
}

describe('the management API', () => {
  const all = ['127.0.0.1', '203.0.113.9:3000', '[::1]:3000', 'localhost:3000', 'ai.example.com', 'evil.example', 'localhost.evil.example']
  const always = all.slice(0, 4)

  test('responds at addresses and localhost if no name is configured', () => {
    expect(checkedHosts({}, all)).toEqual(always)
  })

  test('responds at the names of ServerAddress, CONSOLE_ORIGINS and ALLOWED_HOSTS, at any port', () => {
    const own = [...always, 'ai.example.com']
    expect(checkedHosts({ publicAddress: () => 'https://AI.example.com:8443/' }, all)).toEqual(own)
    expect(checkedHosts({ consoleOrigins: ['https://ai.example.com'] }, all)).toEqual(own)
    expect(checkedHosts({ allowedHosts: ['ai.example.com'] }, all)).toEqual(own)
    expect(checkedHosts({ publicAddress: () => 'https://bücher.example' }, ['xn--bcher-kva.example'])).toHaveLength(1)
  })

  test('responds at every name with ALLOWED_HOSTS=*, and at a host that is not a name', () => {
    expect(checkedHosts({ allowedHosts: ['*'] }, [...all, 'a b'])).toEqual([...all, 'a b'])
  })

  test('of an upgraded installation responds at every name until ServerAddress or ALLOWED_HOSTS is set', () => {
    expect(checkedHosts({ isUpgraded: true }, all)).toEqual(all)
    expect(checkedHosts({ isUpgraded: true, consoleOrigins: ['https://console.example.com'] }, all)).toEqual(all)
    expect(checkedHosts({ isUpgraded: true, allowedHosts: ['other.example'] }, all)).toEqual(always)
    expect(checkedHosts({ isUpgraded: true, publicAddress: () => 'https://other.example' }, all)).toEqual(always)
    expect(createKnownHosts({ ...unset, isUpgraded: true }).isUnchecked()).toBe(true)
    expect(createKnownHosts(unset).isUnchecked()).toBe(false)
  })

  test('keeps the name that root set while an administrator’s address is pending super-admin approval', () => {
    let [address, isConfirmed] = ['https://ai.example.com', true]
    const hosts = createKnownHosts({ ...unset, publicAddress: () => address, isAddressConfirmed: () => isConfirmed })
    expect(hosts.isKnown('ai.example.com')).toBe(true)
    ;[address, isConfirmed] = ['https://evil.example', false]
    expect([hosts.isKnown('ai.example.com'), hosts.isKnown('evil.example')]).toEqual([true, false])
    isConfirmed = true
    expect([hosts.isKnown('ai.example.com'), hosts.isKnown('evil.example')]).toEqual([false, true])
  })

  test('responds at every name after a start while an address is pending, so that root can log in to confirm it', () => {
    expect(checkedHosts({ publicAddress: () => 'https://evil.example', isAddressConfirmed: () => false }, all)).toEqual(all)
  })
})
