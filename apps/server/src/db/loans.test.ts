import { expect, test } from 'bun:test'
import { createLoans } from './loans.ts'

const patient = new AbortController().signal

test('an item has one borrower at a time, and the one that was given back last is lent first', async () => {
  const loans = createLoans(['a', 'b'])
  expect([await loans.borrow(patient), await loans.borrow(patient)]).toEqual(['a', 'b'])
  const waiting = loans.borrow(patient)
  loans.giveBack('b')
  expect(await waiting).toBe('b')
  loans.giveBack('a')
  loans.giveBack('b')
  expect(await loans.borrow(patient)).toBe('b')
})

test('a borrower who has stopped waiting gets nothing, and the item stays for the next one', async () => {
  const loans = createLoans(['a'])
  await loans.borrow(patient)
  const impatient = new AbortController()
  const borrowing = loans.borrow(impatient.signal)
  impatient.abort(new Error('too late'))
  loans.giveBack('a')
  await expect(borrowing).rejects.toThrow('too late')
  expect(await loans.borrow(patient)).toBe('a')
  await expect(loans.borrow(AbortSignal.abort(new Error('never')))).rejects.toThrow('never')
})
