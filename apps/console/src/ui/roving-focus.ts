import { type KeyboardEvent, useRef } from 'react'

/** Letters typed within this time are one word. */
const wordMs = 750

const items = '[role^=menuitem], [role=option]'

export const itemsOf = (list: Element | null): readonly HTMLElement[] => [...(list?.querySelectorAll<HTMLElement>(items) ?? [])]

/** The index of the item that a key moves to; `null` = the key does not move. */
export function indexAfterKey(key: string, at: number, count: number): number | null {
  if (count === 0) return null
  switch (key) {
    case 'ArrowDown':
      return (at + 1) % count
    case 'ArrowUp':
      return at <= 0 ? count - 1 : at - 1
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}

/** The index of the cell that an arrow key moves to, in rows of these lengths; `null` = the key does not move. */
export function cellAfterKey(key: string, at: number, lengths: readonly number[]): number | null {
  const count = lengths.reduce((sum, length) => sum + length, 0)
  const inLine = { ArrowLeft: 'ArrowUp', ArrowRight: 'ArrowDown' }[key]
  if (inLine !== undefined) return indexAfterKey(inLine, at, count)
  const starts = lengths.map((_, row) => lengths.slice(0, row).reduce((sum, length) => sum + length, 0))
  const row = starts.findLastIndex((start) => start <= at)
  const nextRow = indexAfterKey(key, row, lengths.length)
  if (nextRow === null || (key !== 'ArrowDown' && key !== 'ArrowUp')) return null
  const column = at - (starts[row] ?? 0)
  return (starts[nextRow] ?? 0) + Math.min(Math.max(0, column), (lengths[nextRow] ?? 1) - 1)
}

/** The next item whose name begins with the typed word; one letter again and again goes through all that begin with it. */
export function indexOfWord(word: string, names: readonly string[], at: number): number | null {
  const isRepeated = [...word].every((letter) => letter === word[0])
  const prefix = (isRepeated ? word.slice(0, 1) : word).toLowerCase()
  for (let step = isRepeated ? 1 : 0; step < names.length + 1; step += 1) {
    const index = (at + step + names.length) % names.length
    if (names[index]?.trim().toLowerCase().startsWith(prefix)) return index
  }
  return null
}

/** The word that is being typed, letter by letter. */
export function useTypedWord(): (event: KeyboardEvent) => string | null {
  const typed = useRef({ word: '', atMs: 0 })
  return ({ key, ctrlKey, metaKey, altKey, timeStamp }) => {
    const isNew = timeStamp - typed.current.atMs > wordMs
    if ([...key].length !== 1 || ctrlKey || metaKey || altKey || (key === ' ' && (isNew || typed.current.word === ''))) return null
    typed.current = { word: isNew ? key : typed.current.word + key, atMs: timeStamp }
    return typed.current.word
  }
}

/**
 * Moves the focus among the items of a list by arrow keys, Home, End and typed letters.
 * @param onLeave called at Tab, with which the browser then moves on from the button
 */
export function useRovingFocus(onLeave: () => void): (event: KeyboardEvent<Element>) => void {
  const wordOf = useTypedWord()
  return (event) => {
    if (event.key === 'Tab') return onLeave()
    const all = itemsOf(event.currentTarget)
    const { activeElement } = document
    const at = activeElement instanceof HTMLElement ? all.indexOf(activeElement) : -1
    const word = wordOf(event)
    const names = () => all.map((item) => item.textContent)
    const index = indexAfterKey(event.key, at, all.length) ?? (word === null ? null : indexOfWord(word, names(), at))
    // A space inside of a word chooses nothing.
    if (index !== null || word !== null) event.preventDefault()
    if (index !== null) all[index]?.focus()
  }
}
