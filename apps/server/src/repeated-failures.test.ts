import { expect, test } from 'bun:test'
import { createLog } from './log.ts'

function open() {
  let nowMs = 0
  const lines: Array<Readonly<Record<string, unknown>>> = []
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) }, { monotonicMs: () => nowMs })
  return {
    log,
    lines,
    pass(ms: number) {
      nowMs += ms
    },
  }
}

test('failures of one cause are one line at once and one a minute, with a number for each that failed', () => {
  const { log, lines, pass } = open()
  for (let second = 0; second < 600; second += 1) {
    log.error({ err: new Error(`connect to 127.0.0.1:${5000 + second} failed`), job: `job${second % 3}` }, 'scheduled job failed')
    log.warn({ err: new Error('connect to 127.0.0.1:5432 failed') }, 'configuration changes not readable, will retry')
    pass(1_000)
  }
  expect(lines[0]).toMatchObject({ level: 'error', msg: 'scheduled job failed', job: 'job0' })
  expect(lines).toHaveLength(10)
  expect(lines[1]).toMatchObject({
    failures: 119,
    by: { 'scheduled job failed: job1': 20, 'configuration changes not readable, will retry': 60 },
    msg: 'failures repeated',
  })
})

test('a cause that is over begins anew, and other causes are lines of their own', () => {
  const { log, lines, pass } = open()
  const fail = (text: string) => log.error({ err: new Error(text) }, 'failed')
  fail('no connection')
  fail('disk full')
  pass(120_000)
  fail('no connection')
  expect(lines.map(({ msg }) => msg)).toEqual(['failed', 'failed', 'failed'])
})

test('failures that are about one thing of many, or of a request, are not lost among others', () => {
  const { log, lines } = open()
  const err = new Error('cannot be opened')
  for (const channel of [1, 2, 2]) log.error({ err, channel }, 'channel skipped: key not decryptable with this master key')
  for (const requestId of ['a', 'b', 'b']) log.error({ err, requestId }, 'request failed')
  log.info({ err }, 'not a failure')
  log.info({ err }, 'not a failure')
  expect(lines).toHaveLength(2 + 3 + 2)
})

test('failures that were kept back before are counted', () => {
  const { log, lines, pass } = open()
  const err = new Error('reset')
  log.error({ err, keptBack: 0 }, 'connection failed')
  log.error({ err, keptBack: 40 }, 'connection failed')
  pass(60_000)
  log.error({ err, keptBack: 9 }, 'connection failed')
  expect(lines.at(1)).toMatchObject({ failures: 41 })
})
