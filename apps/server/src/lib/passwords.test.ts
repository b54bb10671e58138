import { expect, test } from 'bun:test'
import { AppError } from './app-error.ts'
import { bcryptCost, createPasswords } from './passwords.ts'

const passwords = createPasswords({ memoryCost: 8, timeCost: 1 })

test('a password is hashed with Argon2id and recognized, also beyond 72 bytes, where bcrypt stops reading', async () => {
  const long = 'p'.repeat(100)
  const hash = await passwords.hash(long)
  expect(hash).toStartWith('$argon2id$')
  expect(await passwords.verify(long, hash)).toBe(true)
  expect(await passwords.verify(`${long.slice(0, 99)}x`, hash)).toBe(false)
})

test('an account without a password, or with a hash of an unknown form, refuses every login', async () => {
  for (const stored of ['', 'nonsense', '$argon2id$broken']) expect(await passwords.verify('', stored)).toBe(false)
})

test('a bcrypt hash is checked up to a cost of 14, and a costlier one refuses every login without occupying the server', async () => {
  const hash = await Bun.password.hash('a good password', { algorithm: 'bcrypt', cost: 4 })
  expect(await passwords.verify('a good password', hash)).toBe(true)
  const begun = performance.now()
  expect(await passwords.verify('a good password', hash.replace('$04$', '$31$'))).toBe(false)
  expect(performance.now() - begun).toBeLessThan(1_000)
  expect(['$2a$14$', '$2b$15$'].map((prefix) => bcryptCost(`${prefix}${'x'.repeat(53)}`))).toEqual([14, 15])
  expect(bcryptCost('$2a$14$short')).toBeNull()
})

test('an unknown name is refused too, after comparing with a real hash', async () => {
  expect(await passwords.pretend('nobody has this password')).toBe(false)
})

test('a login to an account without a password takes a hash, as any other', async () => {
  const slow = createPasswords({ memoryCost: 8, timeCost: 1 })
  await slow.pretend('x')
  const results = await Promise.allSettled(Array.from({ length: 60 }, () => slow.verify('x', '')))
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(60 - 52)
})

test('an unknown name is compared again after the first comparison was refused, when too much waited', async () => {
  const slow = createPasswords({ memoryCost: 8, timeCost: 1 })
  const others = Array.from({ length: 52 }, () => slow.hash('x'.repeat(8)))
  await expect(slow.pretend('x')).rejects.toThrow(AppError)
  await Promise.all(others)
  expect(await slow.pretend('x')).toBe(false)
})

test('many checks at once wait in a bounded queue, and the queue empties again', async () => {
  const slow = createPasswords({ memoryCost: 8, timeCost: 1 })
  const results = await Promise.allSettled(Array.from({ length: 60 }, () => slow.hash('x'.repeat(8))))
  const refused = results.filter((result) => result.status === 'rejected')
  expect(refused).toHaveLength(60 - 52)
  expect(refused.every(({ reason }) => reason instanceof AppError && reason.code === 'login_busy')).toBe(true)
  expect(await slow.hash('afterwards')).toStartWith('$argon2id$')
})
