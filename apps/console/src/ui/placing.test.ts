import { expect, test } from 'bun:test'
import { placeOf } from './placing.ts'

const view = { width: 1000, height: 800 }

const anchorAt = (left: number, top: number) => ({ left, top, width: 100, right: left + 100, bottom: top + 30 })

test('a popup stands on the preferred side, at the wanted edge of its anchor', () => {
  const spec = { anchor: anchorAt(300, 100), popup: { width: 200, height: 300 }, view }
  expect(placeOf({ ...spec, align: 'start', side: 'bottom' })).toEqual({ left: 300, top: 130, bottom: null, room: 662 })
  expect(placeOf({ ...spec, align: 'end', side: 'bottom' }).left).toBe(200)
  expect(placeOf({ ...spec, align: 'center', side: 'bottom' }).left).toBe(250)
})

test('it takes the other side if only that has more room, and says how much', () => {
  const popup = { width: 200, height: 300 }
  const low = placeOf({ anchor: anchorAt(300, 700), popup, view, align: 'start', side: 'bottom' })
  expect(low).toEqual({ left: 300, top: null, bottom: 100, room: 692 })
  const high = placeOf({ anchor: anchorAt(300, 10), popup: { width: 80, height: 20 }, view, align: 'center', side: 'top' })
  expect(high).toMatchObject({ top: 40, bottom: null })
  // Too high for both sides: the larger one.
  const tall = placeOf({ anchor: anchorAt(300, 300), popup: { width: 200, height: 900 }, view, align: 'start', side: 'bottom' })
  expect(tall).toMatchObject({ top: 330, room: 462 })
})

test('it stays inside of the window', () => {
  const popup = { width: 200, height: 50 }
  expect(placeOf({ anchor: anchorAt(950, 100), popup, view, align: 'start', side: 'bottom' }).left).toBe(792)
  expect(placeOf({ anchor: anchorAt(-50, 100), popup, view, align: 'end', side: 'bottom' }).left).toBe(8)
  expect(placeOf({ anchor: anchorAt(0, 100), popup: { width: 2000, height: 50 }, view, align: 'start', side: 'bottom' }).left).toBe(8)
})
