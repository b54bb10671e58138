import { useEffect, useEffectEvent } from 'react'
import { storage } from './storage.ts'
import { createStore, useStore } from './store.ts'

/** Whether single-key shortcuts are on; a switch turns all of them off. */
const enabled = createStore(storage.readJson('ui-shortcuts') !== false)

export function setShortcuts(isOn: boolean): void {
  storage.writeJson('ui-shortcuts', isOn)
  enabled.set(isOn)
}

export function useShortcuts(): boolean {
  return useStore(enabled)
}

const typing = 'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true], [role=combobox]'
/** Open dialogs, which take the keys. Toasts are dialogs too, but do not take them. */
const dialogs = ':is([role=dialog], [role=alertdialog]):not([data-kind])'
const layers = `${dialogs}, [role=menu], [role=listbox]`

export const hasOpenDialog = (): boolean => document.querySelector(dialogs) !== null

/** Whether the sheet of a row is open. */
export const hasOpenSheet = (): boolean => document.querySelector('[data-row-sheet]') !== null

/** Whether a key is a shortcut: the focus is in no text field, no dialog or menu is open, and no modifier is held. */
export function isPlainKey(event: KeyboardEvent): boolean {
  return isSingleKey(event) && document.querySelector(layers) === null
}

/** Whether a key is a shortcut of the open dialog, which has no menu or question above it. */
export function isDialogKey(event: KeyboardEvent): boolean {
  return isSingleKey(event) && hasOpenDialog() && document.querySelectorAll(layers).length === 1
}

function isSingleKey(event: KeyboardEvent): boolean {
  if (!enabled.get() || event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false
  return !(event.target instanceof Element && event.target.closest(typing) !== null)
}

/** A key that does something on the page as it is now. */
export interface UsedKey {
  /** As `KeyboardEvent.key` names it; several keys are separated by spaces. */
  readonly key: string
  /** What it does, for keys of a row's actions; other keys have texts of their own. */
  readonly label?: string
  /** Whether it is a key of the open dialog; the others rest while a dialog is open. */
  readonly isOfDialog?: boolean
}

const readers = new Set<() => readonly UsedKey[]>()

/** All keys that do something now, each once. */
export function usedKeys(): readonly UsedKey[] {
  const isInDialog = hasOpenDialog()
  const keys = [...readers].flatMap((read) => read()).filter(({ isOfDialog = false }) => isOfDialog === isInDialog)
  return [...new Map(keys.map((used) => [used.key, used])).values()]
}

/** Registers the keys that the component handles in the list of shortcuts. */
export function useUsedKeys(read: () => readonly UsedKey[]): void {
  const latest = useEffectEvent(read)
  useEffect(() => {
    const reader = () => latest()
    readers.add(reader)
    return () => {
      readers.delete(reader)
    }
  }, [])
}

/** Calls `act` when a single key is pressed anywhere on the page, or with `isDialogKey` anywhere in the open dialog. */
export function useKey(key: string, act: (event: KeyboardEvent) => void, isMeant = isPlainKey): void {
  useUsedKeys(() => [{ key, isOfDialog: isMeant === isDialogKey }])
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== key || !isMeant(event)) return
    event.preventDefault()
    act(event)
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    addEventListener('keydown', listener)
    return () => removeEventListener('keydown', listener)
  }, [])
}

/** The name of the key that is held with others: of Apple's keyboards, or of all others. */
export function modifierName(): string {
  return /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl'
}
