import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef } from 'react'
import { hasOpenDialog, hasOpenSheet, isDialogKey, isPlainKey, useKey, useUsedKeys } from '../lib/shortcuts.ts'
import type { PagePath } from '../ui/page-path.ts'
import { goKeys } from './go-keys.ts'
import { closeOverlay, isPaletteOpen, openOverlay } from './overlay.ts'
import { useNavItems } from './use-nav-items.ts'

/** How long `g` waits for its letter: long enough for a page that is slow to respond. */
const goMs = 3_000

/** The keys of every page: Ctrl+K, `?`, and `g` followed by the letter of a page. */
export function useFrameKeys(): void {
  const navigate = useNavigate()
  const items = useNavItems()
  const startedMs = useRef(Number.NEGATIVE_INFINITY)
  const pathOf = (key: string): PagePath | undefined => items.find(({ to }) => goKeys[to] === key)?.to
  useKey('?', () => openOverlay('keys'))
  // Over the sheet of a row, which has keys of its own.
  useKey('?', () => (hasOpenSheet() ? openOverlay('keys') : undefined), isDialogKey)
  useUsedKeys(() => [{ key: 'Control+k' }])
  useUsedKeys(() => items.flatMap(({ to }) => (goKeys[to] === undefined ? [] : [{ key: `g ${goKeys[to]}` }])))
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (isPaletteKey(event)) return togglePalette(event)
    if (!isPlainKey(event)) return
    const isWaiting = event.timeStamp - startedMs.current < goMs
    startedMs.current = event.key === 'g' && !isWaiting ? event.timeStamp : Number.NEGATIVE_INFINITY
    const to = isWaiting ? pathOf(event.key) : undefined
    if (to === undefined) return
    // The letter alone may be the key of a row or of the list.
    event.preventDefault()
    event.stopImmediatePropagation()
    void navigate({ to })
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    addEventListener('keydown', listener, { capture: true })
    return () => removeEventListener('keydown', listener, { capture: true })
  }, [])
}

function isPaletteKey({ key, ctrlKey, metaKey, altKey, shiftKey, isComposing }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey && !isComposing
}

/** Another dialog keeps the keys: its question comes first. */
function togglePalette(event: KeyboardEvent): void {
  event.preventDefault()
  event.stopPropagation()
  if (isPaletteOpen()) closeOverlay()
  else if (!hasOpenDialog()) openOverlay('palette')
}
