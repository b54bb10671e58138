import { type CommandGroup, pageCommands } from '../lib/page-commands.ts'
import { type UsedKey, usedKeys } from '../lib/shortcuts.ts'
import { createStore, useStore } from '../lib/store.ts'

type Overlay = 'palette' | 'keys'

interface OpenOverlay {
  readonly kind: Overlay | null
  /** The commands of the page, of its row with the focus and of the selected rows, as they were when the overlay opened. */
  readonly commands: readonly CommandGroup[]
  readonly keys: readonly UsedKey[]
}

const overlay = createStore<OpenOverlay>({ kind: null, commands: [], keys: [] })

/** `from` had the focus before. */
export function openOverlay(kind: Overlay, from = document.activeElement): void {
  overlay.set({ kind, commands: pageCommands(from), keys: usedKeys() })
}

/** What was shown is kept, because the dialog may fade out. */
export function closeOverlay(): void {
  overlay.set({ ...overlay.get(), kind: null })
}

export function useOverlay(): OpenOverlay {
  return useStore(overlay)
}

export const isPaletteOpen = (): boolean => overlay.get().kind === 'palette'
