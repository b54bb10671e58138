import type { Attack } from './attacks.ts'
import { type Flood, flood, headOf, readBytewise } from './client.ts'

const nothing = new Uint8Array()

/** What connections cost that send little or take little. */
export const connectionAttacks: readonly Attack[] = [
  open('10,000 idle connections', 10_000, { head: '', piece: nothing, times: 0, reads: true }),
  open('10,000 connections with half a head each', 10_000, {
    head: 'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer sk-',
    piece: nothing,
    times: 0,
    reads: true,
  }),
  {
    name: 'answers that are read one byte at a time on 4 connections',
    async run(target) {
      const requests = headOf('GET', { path: target.longPath, fields: [] }).repeat(200)
      await Promise.all(Array.from({ length: 4 }, () => readBytewise(target, requests, 1_000_000)))
    },
  },
  halfClosed('requests ahead on 500 connections that end their side, whose answers are read', true),
  halfClosed('requests ahead on 500 connections that end their side, whose answers nobody reads', false),
]

/** Connections that are opened in this order and are all open at the end. */
function open(name: string, connections: number, each: Flood): Attack {
  // A batch is no longer than the queue of a listening socket.
  const batch = 250
  return {
    name,
    async run(target) {
      const all: Array<Promise<void>> = []
      while (all.length < connections) {
        for (let count = 0; count < batch; count += 1) all.push(flood(target, { ...each, stayMs: 6_000 }))
        await Bun.sleep(50)
      }
      await Promise.all(all)
    },
  }
}

function halfClosed(name: string, reads: boolean): Attack {
  return {
    name,
    async run(target) {
      const head = headOf('GET', { path: target.longPath, fields: [] }).repeat(64)
      const one = (): Promise<void> => flood(target, { head, piece: nothing, times: 0, reads, isHalfClosed: true })
      await Promise.all(Array.from({ length: 500 }, one))
    },
  }
}
