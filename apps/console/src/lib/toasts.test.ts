import { expect, setSystemTime, test } from 'bun:test'
import { dismissToasts, showToast, type Toast, takeDismissed, takeToasts, toastMs } from './toasts.ts'

test('each toast is shown once, also those from before the first render', () => {
  const rendered: string[] = []
  const draw = ({ text }: Toast) => void rendered.push(text)
  showToast('error', 'early')
  showToast('info', 'early too')
  const stop = takeToasts(draw)
  showToast('success', 'late')
  stop()
  showToast('success', 'unseen')
  takeToasts(draw)()
  expect(rendered).toEqual(['early', 'early too', 'late', 'unseen'])
})

test('calls that fail together with one message show it once, and a later failure shows it again', () => {
  const rendered: string[] = []
  const stop = takeToasts(({ kind, text }) => void rendered.push(`${kind} ${text}`))
  const start = Date.now()
  for (const [afterMs, kind, text] of [
    [0, 'error', 'refused'],
    [400, 'error', 'also refused'],
    [900, 'error', 'refused'],
    [900, 'success', 'refused'],
    [900, 'success', 'refused'],
    [1_100, 'error', 'refused'],
  ] as const) {
    setSystemTime(start + afterMs)
    showToast(kind, text)
  }
  setSystemTime()
  stop()
  expect(rendered).toEqual(['error refused', 'error also refused', 'success refused', 'success refused', 'error refused'])
})

test('a toast that is no longer true is closed, and no other', () => {
  const open = new Map<number, string>()
  const stops = [takeToasts(({ id, kind, text }) => void open.set(id, `${kind} ${text}`)), takeDismissed((id) => void open.delete(id))]
  for (const [kind, text] of [
    ['warning', 'no password'],
    ['warning', 'another'],
    ['info', 'no password'],
  ] as const)
    showToast(kind, text)
  dismissToasts('warning', 'no password')
  dismissToasts('warning', 'never shown')
  expect([...open.values()]).toEqual(['warning another', 'info no password'])
  showToast('warning', 'no password')
  expect([...open.values()]).toContain('warning no password')
  for (const stop of stops) stop()
})

test('a toast that was closed before the first render is not shown', () => {
  const rendered: string[] = []
  showToast('warning', 'too early')
  showToast('warning', 'in time')
  dismissToasts('warning', 'too early')
  dismissToasts('warning', 'never shown')
  takeToasts(({ text }) => void rendered.push(text))()
  expect(rendered).toEqual(['in time'])
})

test('the times are those of the specification', () => {
  expect(toastMs).toEqual({ success: 1500, info: 3000, error: 5000, warning: 10_000, notice: 0 })
})
