import { expect, test } from 'bun:test'
import { EnvError, readEnv } from './env.ts'

test('without variables the server starts on port 3000 with its data under data/', () => {
  expect(readEnv({})).toMatchObject({ port: 3000, host: '0.0.0.0', dataDir: 'data', trustedProxies: [], logLevel: 'info' })
})

test('everything that is wrong is listed at once', () => {
  const wrong = { PORT: '99999', LOG_LEVEL: 'loud', TRUSTED_PROXIES: '10.0.0.0/8, nonsense', SLUICE_SECRET: 'short', BODY_BYTES_MAX: '-1' }
  try {
    readEnv(wrong)
    throw new Error('was accepted')
  } catch (error) {
    expect(error).toBeInstanceOf(EnvError)
    for (const name of Object.keys(wrong)) expect(String(error)).toContain(name)
  }
})
