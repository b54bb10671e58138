import { storage } from './storage.ts'
import { createStore, useStore } from './store.ts'

export const themes = ['light', 'dark', 'system'] as const
export type Theme = (typeof themes)[number]

export const densities = ['comfortable', 'compact'] as const
export type Density = (typeof densities)[number]

const storedTheme = storage.readJson('ui-theme')
const theme = createStore<Theme>(themes.find((name) => name === storedTheme) ?? 'system')

const storedDensity = storage.readJson('ui-density')
/** `null` = the rows have the height of the design. */
const density = createStore<Density | null>(densities.find((name) => name === storedDensity) ?? null)

const root = (): HTMLElement => document.documentElement

const systemIsDark = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)')

/** Applies the theme. The page's inline script did this before the first paint; from now on changes apply at once. */
function paint(): void {
  const chosen = theme.get()
  root().dataset['theme'] = chosen === 'system' ? (systemIsDark().matches ? 'dark' : 'light') : chosen
  const chosenDensity = density.get()
  if (chosenDensity !== null) root().dataset['density'] = chosenDensity
}

export function startTheme(): void {
  paint()
  theme.subscribe(paint)
  density.subscribe(paint)
  systemIsDark().addEventListener('change', paint)
}

export function setTheme(chosen: Theme): void {
  storage.writeJson('ui-theme', chosen)
  theme.set(chosen)
}

export function useTheme(): Theme {
  return useStore(theme)
}

export function setDensity(chosen: Density): void {
  storage.writeJson('ui-density', chosen)
  density.set(chosen)
}

/** The chosen height of rows, or else the one that the design has on this screen. */
export function useDensity(): Density {
  return useStore(density) ?? (getComputedStyle(root()).getPropertyValue('--row').trim() === '32px' ? 'compact' : 'comfortable')
}

/** Names the design of a page that is served by another host than the gateway: at first the one of the last visit. */
export function applyDesign(name: unknown): void {
  const { dataset } = root()
  // The gateway writes the design into the page that it serves.
  if (dataset['design'] !== undefined && dataset['designOf'] !== 'status') return
  dataset['designOf'] = 'status'
  dataset['design'] = typeof name === 'string' ? name : 'default'
}
