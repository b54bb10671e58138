import { describe, expect, test } from 'bun:test'
import { createDeadlines, systemClock } from '../test/deadlines.ts'
import { defaultTimeouts } from './connection-deps.ts'
import { ServerConnection } from './server-connection.ts'
import { Turns } from './turns.ts'

const nextTurn = (): Promise<unknown> => new Promise(setImmediate)

describe('requests that were sent ahead', () => {
  test('begin in one turn of the event loop up to a number, over all connections', async () => {
    const turns = new Turns(2)
    const begun: string[] = []
    const connection = (name: string) => ({ turn: () => void begun.push(name) })
    expect(turns.take(connection('a'))).toBe(true)
    expect(turns.take(connection('b'))).toBe(true)
    for (const name of ['c', 'd', 'e', 'f', 'g']) expect(turns.take(connection(name))).toBe(false)
    expect(begun).toEqual([])
    await nextTurn()
    expect(begun).toEqual(['c', 'd'])
    await nextTurn()
    expect(begun).toEqual(['c', 'd', 'e', 'f'])
    await nextTurn()
    expect(begun).toEqual(['c', 'd', 'e', 'f', 'g'])
  })

  test('wait behind those that have waited longer', async () => {
    const turns = new Turns(1)
    const begun: string[] = []
    const again = {
      turn() {
        begun.push('again')
        expect(turns.take({ turn: () => void begun.push('last') })).toBe(false)
      },
    }
    expect(turns.take(again)).toBe(true)
    expect(turns.take(again)).toBe(false)
    expect(turns.take({ turn: () => void begun.push('other') })).toBe(false)
    for (let count = 0; count < 4; count += 1) await nextTurn()
    expect(begun).toEqual(['again', 'other', 'last'])
  })

  test('begin again in the turn after one in which none waited', async () => {
    const turns = new Turns(1)
    for (let count = 0; count < 3; count += 1) {
      expect(turns.take({ turn: () => {} })).toBe(true)
      await nextTurn()
    }
  })
})

describe('connections after a long read', () => {
  /** Connections whose sockets record that they are paused and read on. */
  function connections(names: readonly string[], longReadsPerTurn: number) {
    const seen: string[] = []
    const deps = {
      respond: () => Promise.reject(new Error('no request was sent')),
      monotonicMs: systemClock.monotonicMs,
      deadlines: createDeadlines(systemClock),
      fairness: new Turns(1),
      longReads: new Turns(longReadsPerTurn),
      date: () => '',
      timeouts: defaultTimeouts,
      isClosing: () => false,
      isStopped: () => false,
      closed: () => {},
      report: (error: unknown) => expect(error).toBeUndefined(),
    }
    const opened = names.map(
      (name) =>
        new ServerConnection(
          {
            remoteAddress: '127.0.0.1',
            write: (bytes) => bytes.length,
            pause: () => void seen.push(`pause ${name}`),
            resume: () => void seen.push(`resume ${name}`),
            shutdown: () => {},
            terminate: () => {},
          },
          deps,
        ),
    )
    return { made: opened, seen }
  }

  test('are not read in the same turn, and then in their order, a number of them in each turn', async () => {
    const { made: opened, seen } = connections(['a', 'b', 'c', 'd', 'e'], 2)
    for (const connection of opened) connection.giveTurn()
    expect(seen.splice(0)).toEqual(['pause a', 'pause b', 'pause c', 'pause d', 'pause e'])
    await nextTurn()
    expect(seen.splice(0)).toEqual(['resume a', 'resume b'])
    opened[0]?.giveTurn()
    await nextTurn()
    expect(seen.splice(0)).toEqual(['pause a', 'resume c', 'resume d'])
    await nextTurn()
    expect(seen.splice(0)).toEqual(['resume e', 'resume a'])
    for (const connection of opened) connection.destroy()
  })
})
