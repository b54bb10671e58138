import { afterAll, beforeAll, expect, test } from 'bun:test'
import { channelStatus, contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { setStatus } from '../../../test/channel-scene.ts'
import { chatResponse, json } from '../../../test/fake-upstream.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

test('the board has every channel at once, with its state and whether its last test failed', async () => {
  const count = 250
  for (let index = 0; index < count; index += 1) await app.make.channel({ models: 'gpt-4o' })
  const [fails, recovers, off] = [await app.make.channel(), await app.make.channel(), await app.make.channel()]
  await setStatus(app, off, channelStatus.autoDisabled)
  const run = async (id: number, script: ReturnType<typeof json>) => {
    app.upstream.script(script)
    await app.call(contract.channel.test, { id })
  }
  const failure = json({ error: { message: 'broken' } }, 500)
  await run(fails, json(chatResponse()))
  await run(fails, failure)
  await run(recovers, failure)
  await run(recovers, json(chatResponse()))
  const board = await app.data(contract.channel.board, {})
  expect(board).toHaveLength(count + 3)
  expect(board.slice(0, 4).map(({ id, status, test_failed }) => [id, status, test_failed])).toEqual([
    [off, channelStatus.autoDisabled, false],
    [recovers, channelStatus.enabled, false],
    [fails, channelStatus.enabled, true],
    [fails - 1, channelStatus.enabled, false],
  ])
  expect(Object.keys(board[0] ?? {}).toSorted()).toEqual(['id', 'name', 'status', 'test_failed'])
})
