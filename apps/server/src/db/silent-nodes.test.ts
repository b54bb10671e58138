import { expect, test } from 'bun:test'
import { createSilentNodes } from './silent-nodes.ts'

const member = (epoch: number, heartbeatMs: number) => ({ id: `${epoch}`, epoch, version: '', startedMs: 0, heartbeatMs })

test('a node is silent when its heartbeat has been the same for as long, and this process itself never is', () => {
  const silent = createSilentNodes(1)
  silent.observe([member(1, 5), member(2, 5), member(3, 5)], 0)
  silent.observe([member(1, 5), member(2, 5), member(3, 4)], 5_000)
  expect(silent.list(10_000, 9_999)).toEqual([])
  expect(silent.list(10_000, 10_000)).toEqual([{ epoch: 2, heartbeatMs: 5 }])
  expect(silent.list(10_000, 15_000)).toEqual([
    { epoch: 2, heartbeatMs: 5 },
    { epoch: 3, heartbeatMs: 4 },
  ])
})

test('after a gap every node is given its time again', () => {
  const silent = createSilentNodes(1)
  silent.observe([member(2, 5)], 0)
  silent.restart()
  silent.observe([member(2, 5)], 20_000)
  expect(silent.list(10_000, 29_999)).toEqual([])
  expect(silent.list(10_000, 30_000)).toEqual([{ epoch: 2, heartbeatMs: 5 }])
})
