import { expect, test } from 'bun:test'
import { countGarbage } from './count-garbage.ts'

test('a collection is requested after every so many pieces of work, when it harms nobody', () => {
  let collections = 0
  const worked = countGarbage(3, () => {
    collections += 1
  })
  const seen = [true, true, true, true, true, false, false, true, true].map((mayPause) => {
    worked(mayPause)
    return collections
  })
  expect(seen).toEqual([0, 0, 1, 1, 1, 1, 1, 2, 2])
})
