import { expect, test } from 'bun:test'
import { targetOf } from '../../../test/channel.ts'
import { minimaxTranscriptions } from './transcriptions.ts'

const outgoingFor = (content: string) => {
  const file = { name: 'file', fileName: 'a.mp3', contentType: 'audio/mpeg', bytes: new TextEncoder().encode(content) }
  const { headers, bytes } = minimaxTranscriptions.request({}, { ...targetOf({ model: 'asr' }), kind: 'transcriptions', files: [file] })
  return { type: headers['content-type'] ?? '', body: new TextDecoder().decode(bytes) }
}

test('the boundary of a form is not in the file', () => {
  const { type, body } = outgoingFor('any sound')
  expect(type).toBe('multipart/form-data; boundary=form-sound-0')
  expect(body).toContain('any sound')
})

test('the boundary of a form is found in time, however many of them are in the file', () => {
  for (const used of [(number: number) => `sound-${number} `, (number: number) => `sound-${String(number).padStart(8, '0')} `]) {
    const content = Array.from({ length: 200_000 }, (_, number) => used(number)).join('')
    const before = process.cpuUsage()
    const { type } = outgoingFor(content)
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000)
    const [, boundary = ''] = type.split('boundary=form-')
    expect([boundary.startsWith('sound-'), content.includes(boundary)]).toEqual([true, false])
  }
})
