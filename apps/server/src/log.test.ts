import { expect, test } from 'bun:test'
import { join } from 'node:path'
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

test('values of secret names are removed whatever they look like', () => {
  expect(logged((log) => log.info({ password: 'plain words', token: 'plain words' }))).not.toContain('plain words')
})

test('a private key in PEM form is scrubbed', () => {
  expect(logged((log) => log.info('-----BEGIN PRIVATE KEY-----\nMIIBVAIBADANBg\n-----END PRIVATE KEY-----'))).not.toContain('MIIB')
})

test('a log that nobody reads delays no request: lines beyond the buffer are dropped (F57)', async () => {
  const program = `
    import { createLog } from '${join(import.meta.dir, 'log.ts')}'
    const log = createLog('info')
    const before = process.memoryUsage.rss()
    for (let line = 0; line < 30_000; line++) {
      log.info({ line, text: 'x'.repeat(1000) }, 'said')
      if (line % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    console.error('alive, grown by ' + Math.round((process.memoryUsage.rss() - before) / 1024 / 1024) + ' MiB.')
    process.kill(process.pid, 'SIGKILL')
  `
  // The other end of the pipe never reads.
  const command = '"$0" --no-orphans -e "$1" | sleep 120'
  const child = Bun.spawn(['sh', '-c', command, process.execPath, program], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    detached: true,
  })
  let output = ''
  for await (const bytes of child.stderr) {
    output += new TextDecoder().decode(bytes)
    if (output.includes('MiB.')) break
  }
  process.kill(-child.pid, 'SIGKILL')
  expect(output).toMatch(/^alive, grown by \d+ MiB/)
  expect(Number(/(\d+) MiB/.exec(output)?.[1])).toBeLessThan(40)
}, 120_000)

test('the last lines are written when the process ends', async () => {
  const program = `
    import { createLog } from '${join(import.meta.dir, 'log.ts')}'
    createLog('info').info('last words')
    process.exit(0)
  `
  const child = Bun.spawn([process.execPath, '--no-orphans', '-e', program], { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' })
  expect(await new Response(child.stdout).text()).toContain('last words')
})
