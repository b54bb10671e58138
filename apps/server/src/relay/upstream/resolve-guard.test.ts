import { expect, test } from 'bun:test'
import { networkInterfaces } from 'node:os'
import { ForbiddenAddress } from '../../lib/forbidden-address.ts'
import { isLocalAddress } from '../../lib/public-address.ts'
import { createTargetGuard } from './resolve-guard.ts'

/** A guard of a server on port 3000, with a resolver of its own. */
function guardWith(names: Readonly<Record<string, readonly string[]>>) {
  const clock = { ms: 0, nowMs: () => clock.ms, monotonicMs: () => clock.ms }
  let lookups = 0
  const guard = createTargetGuard({
    clock,
    ownPort: () => 3000,
    async lookUp(host) {
      lookups += 1
      return names[host] ?? []
    },
  })
  return { ...guard, clock, lookups: () => lookups }
}

test('a name is refused if one of its addresses is forbidden, in any notation', async () => {
  const guard = guardWith({
    'vendor.example': ['192.0.2.7', '2001:db8::7'],
    'metadata.example': ['192.0.2.7', '169.254.169.254'],
    'nat64.example': ['64:ff9b::a9fe:a9fe'],
  })
  expect(await guard.addressesOf('https://vendor.example')).toEqual(['192.0.2.7', '2001:db8::7'])
  for (const name of ['metadata', 'nat64']) {
    await expect(guard.addressesOf(`https://${name}.example`)).rejects.toBeInstanceOf(ForbiddenAddress)
  }
})

test('a name of this machine is refused with our own port, on every interface', async () => {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? [])
  for (const address of own.filter((address) => !address.startsWith('fe80'))) {
    const guard = guardWith({ 'gateway.example': [address] })
    await expect(guard.addressesOf('http://gateway.example:3000')).rejects.toBeInstanceOf(ForbiddenAddress)
    // A public address of it is refused at every port.
    if (isLocalAddress(address)) expect(await guard.addressesOf('http://gateway.example:8000')).toEqual([address])
    else await expect(guard.addressesOf('http://gateway.example:8000')).rejects.toBeInstanceOf(ForbiddenAddress)
  }
})

test('concurrent lookups of a name share one query, and the next follows after half a minute', async () => {
  const guard = guardWith({ 'vendor.example': ['192.0.2.7'] })
  await Promise.all(Array.from({ length: 100 }, () => guard.addressesOf('https://vendor.example')))
  guard.clock.ms += 29_000
  await guard.addressesOf('https://vendor.example')
  expect(guard.lookups()).toBe(1)
  guard.clock.ms += 2_000
  await guard.addressesOf('https://vendor.example')
  expect(guard.lookups()).toBe(2)
})

test('a name that is not found is looked up again after two seconds', async () => {
  const guard = guardWith({})
  for (let request = 0; request < 100; request += 1) expect(await guard.addressesOf('https://nowhere.example')).toEqual([])
  expect(guard.lookups()).toBe(1)
  guard.clock.ms += 2_001
  await guard.addressesOf('https://nowhere.example')
  expect(guard.lookups()).toBe(2)
})
