import { json } from '../apps/server/test/fake-upstream.ts'
import { makeChannel } from './support/channels.ts'
import { expect, signIn, test } from './support/test.ts'

// A browser with a microphone that hears a tone, in a file of its own: each such option needs another browser.
test.use({
  permissions: ['microphone'],
  launchOptions: {
    ...(process.env['CHROMIUM_PATH'] === undefined ? {} : { executablePath: process.env['CHROMIUM_PATH'] }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
    ],
  },
})

test('a prompt is dictated, and a response is read aloud', async ({ page, gateway }) => {
  await makeChannel(gateway, 'sounds', { models: 'whisper-1,tts-1' })
  const user = await gateway.ask('user', { quota: 10_000_000 })
  await gateway.ask('tokens', { owner: user, names: ['lab'] })
  await signIn(page, gateway, user, 1)
  await makeChannel(gateway, 'chats')
  const prompt = page.getByRole('textbox', { name: 'Prompt', exact: true })
  const response = page.getByRole('region', { name: 'Response from gpt-4o-mini' })
  await page.goto('/playground?model=gpt-4o-mini')
  await page.getByRole('button', { name: 'Dictate' }).click()
  await gateway.ask('script', [json({ text: 'Good morning' })])
  await page.getByRole('button', { name: 'Stop recording' }).click()
  await expect(prompt).toHaveValue('Good morning')
  await prompt.press('Enter')
  await expect(response.getByText('Hello')).toBeVisible()
  // A second without any signal.
  const audio = Buffer.concat([wavHead(8_000), Buffer.alloc(8_000, 128)])
  await gateway.ask('script', [
    [
      { do: 'head', status: 200, headers: { 'content-type': 'audio/wav' } },
      { do: 'send', bytes: audio.toString('latin1') },
    ],
  ])
  await response.getByRole('button', { name: 'Read response from gpt-4o-mini aloud' }).click()
  await expect(response.getByRole('button', { name: 'Stop reading' })).toBeVisible()
  // The button says so from the click on, before the call has arrived.
  const paths = async () => (await gateway.ask('received', null)).map(({ path }) => path)
  await expect.poll(paths).toEqual(['/v1/audio/transcriptions', '/v1/chat/completions', '/v1/audio/speech'])
  const received = await gateway.ask('received', null)
  expect(JSON.parse(received[2]?.body ?? '')).toEqual({ model: 'tts-1', voice: 'alloy', input: 'Hello from upstream' })
})

/** The head of a WAV file with one channel of eight bits, 8,000 times a second. */
function wavHead(bytes: number): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + bytes, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8_000, 24)
  head.writeUInt32LE(8_000, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36)
  head.writeUInt32LE(bytes, 40)
  return head
}
