import { describe, expect, test } from 'bun:test'
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
