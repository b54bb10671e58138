import { storage } from './storage.ts'
import { createStore, useStore } from './store.ts'

export const themes = ['light', 'dark', 'system'] as const
export type Theme = (typeof themes)[number]

const stored = storage.readJson('ui-theme')
const theme = createStore<Theme>(themes.find((name) => name === stored) ?? 'system')

const systemIsDark = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)')

/** Applies the theme. The page's inline script did this before the first paint; from now on changes apply at once. */
function paint(): void {
  const chosen = theme.get()
  document.documentElement.dataset['theme'] = chosen === 'system' ? (systemIsDark().matches ? 'dark' : 'light') : chosen
}

export function startTheme(): void {
  paint()
  theme.subscribe(paint)
  systemIsDark().addEventListener('change', paint)
}

export function setTheme(chosen: Theme): void {
  storage.writeJson('ui-theme', chosen)
  theme.set(chosen)
}

export function useTheme(): Theme {
  return useStore(theme)
}
