import { expect, test } from 'bun:test'
import { trustedHosts } from './trusted-hosts.ts'

function memory() {
  const values = new Map<string, unknown>()
  return {
    readJson: (key: string) => values.get(key),
    writeJson: (key: string, value: unknown) => void values.set(key, value),
  }
}

const own = 'https://gateway.example'

test('a host is confirmed before the first key is sent to it, and not again', () => {
  const hosts = trustedHosts(memory(), own)
  const addresses = ['https://chat.example/path', own]
  expect(hosts.unknown(addresses)).toEqual(['chat.example'])
  hosts.trust(hosts.unknown(addresses))
  expect(hosts.unknown(addresses)).toEqual([])
})

test('another host, another port and another server address are confirmed separately', () => {
  const hosts = trustedHosts(memory(), own)
  hosts.trust(['chat.example'])
  expect(hosts.unknown(['https://chat.example:8443', 'https://chat.example.evil.example'])).toEqual([
    'chat.example:8443',
    'chat.example.evil.example',
  ])
  expect(hosts.unknown(['https://chat.example', 'https://other-server.example'])).toEqual(['other-server.example'])
})

test('what is stored and is no list of hosts trusts nobody', () => {
  const stored = memory()
  stored.writeJson('ui-key-hosts', { 'chat.example': true })
  expect(trustedHosts(stored, own).unknown(['https://chat.example'])).toEqual(['chat.example'])
})
