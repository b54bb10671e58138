import { expect, test } from 'bun:test'
import { showToast, type Toast, takeToasts, toastMs } from './toasts.ts'

test('each toast is drawn once, also those from before anybody drew', () => {
  const drawn: string[] = []
  const draw = ({ text }: Toast) => void drawn.push(text)
  showToast('error', 'early')
  showToast('info', 'early too')
  const stop = takeToasts(draw)
  showToast('success', 'late')
  stop()
  showToast('success', 'unseen')
  takeToasts(draw)()
  expect(drawn).toEqual(['early', 'early too', 'late', 'unseen'])
})

test('the times are those of the specification', () => {
  expect(toastMs).toEqual({ success: 1500, info: 3000, error: 5000, warning: 10_000, notice: 0 })
})
