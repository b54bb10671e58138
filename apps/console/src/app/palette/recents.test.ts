import { expect, test } from 'bun:test'
import { House, Sun } from 'lucide-react'
import type { Command } from '../../lib/page-commands.ts'
import { safeStorage } from '../../lib/storage.ts'
import { readRecents, recentCommands, rememberCommand } from './recents.ts'

const empty = () => {
  const kept = new Map<string, string>()
  return safeStorage(() => ({
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
    key: (index) => [...kept.keys()][index] ?? null,
    get length() {
      return kept.size
    },
  }))
}
const known: readonly Command[] = [
  { id: 'go:/', label: 'Home', icon: House, link: { to: '/' } },
  { id: 'theme:light', label: 'Light', icon: Sun, run: () => {} },
]

test('the last commands are first, each once, and at most five', () => {
  const at = empty()
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'b']) rememberCommand(1, { id, label: '' }, at)
  expect(readRecents(1, at).map(({ id }) => id)).toEqual(['b', 'f', 'e', 'd', 'c'])
})

test('each account has its own', () => {
  const at = empty()
  rememberCommand(1, { id: 'row:token:3', label: 'secret project' }, at)
  expect(readRecents(2, at)).toEqual([])
})

test('rows keep their names, commands have the present ones, and what is gone or not allowed is left out', () => {
  const at = empty()
  for (const id of ['row:user:4', 'row:token:3', 'go:/gone', 'go:/', 'page:row:delete']) rememberCommand(1, { id, label: `old ${id}` }, at)
  const recents = recentCommands(readRecents(1, at), known, (kind) => kind === 'token')
  expect(recents.map(({ label }) => label)).toEqual(['Home', 'old row:token:3'])
  expect(recents[1]).toMatchObject({ link: { to: '/token', search: { row: 3 } } })
})

test('invalid storage is no recent command', () => {
  const at = empty()
  at.writeJson('ui-recent:1', [null, { id: 7 }, { id: 'go:/', name: 3 }, { id: 'row:token:x' }, { id: 'go:/' }])
  expect(recentCommands(readRecents(1, at), known, () => true).map(({ id }) => id)).toEqual(['go:/'])
})
