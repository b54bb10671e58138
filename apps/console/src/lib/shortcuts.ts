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
/** Open layers that take the keys. Toasts are dialogs too, but do not take them. */
const layers = ':is([role=dialog], [role=alertdialog]):not([data-kind]), [role=menu], [role=listbox]'

/** Whether a key is a shortcut: the focus is in no text field, no dialog or menu is open, and no modifier is held. */
export function isPlainKey(event: KeyboardEvent): boolean {
  if (!enabled.get() || event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false
  if (event.target instanceof Element && event.target.closest(typing) !== null) return false
  return document.querySelector(layers) === null
}

/** Calls `act` when a single key is pressed anywhere on the page. */
export function useKey(key: string, act: (event: KeyboardEvent) => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== key || !isPlainKey(event)) return
    event.preventDefault()
    act(event)
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    addEventListener('keydown', listener)
    return () => removeEventListener('keydown', listener)
  }, [])
}
