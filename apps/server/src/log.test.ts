import { expect, test } from 'bun:test'
import { createLog } from './log.ts'

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = []
  write(createLog('trace', { write: (line) => void lines.push(line) }))
  return lines.join('')
}

const canaries = [
  'sk-CANARY0123456789abcdef',
  'AIzaCANARY0123456789abcdefghijk',
  'AKIACANARY01234567',
  'eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl',
]

test('secrets are scrubbed from messages, fields, headers, addresses and causes', () => {
  for (const canary of canaries) {
    const cause = new Error(`inner ${canary}`)
    const line = logged((log) => {
      log.info(`said ${canary}`)
      log.info({ headers: { authorization: `Bearer ${canary}`, cookie: canary }, url: `https://host/?key=${canary}&x=1` }, 'request')
      log.error({ err: new Error(`outer ${canary}`, { cause }) }, 'failed')
      log.warn({ nested: [{ deep: { text: canary } }] })
      log.error(new Error(`alone ${canary}`))
      log.error({ err: new Error(`without words ${canary}`) })
      log.info('formatted %s and %j', canary, { inner: canary })
      log.child({ bound: canary }).info('child')
    })
    expect(line).not.toContain(canary)
    expect(line).toContain('outer')
    expect(line).toContain('x=1')
  }
})

test('secret names lose their values whatever these look like', () => {
  expect(logged((log) => log.info({ password: 'plain words', token: 'plain words' }))).not.toContain('plain words')
})

test('a private key in PEM form is scrubbed', () => {
  expect(logged((log) => log.info('-----BEGIN PRIVATE KEY-----\nMIIBVAIBADANBg\n-----END PRIVATE KEY-----'))).not.toContain('MIIB')
})
