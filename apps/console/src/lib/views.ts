import type { SafeStorage, StorageKey } from './storage.ts'

/** The search parameters of a list, without its page and open row. */
export type ViewSearch = Readonly<Record<string, unknown>>

export interface SavedView {
  readonly name: string
  readonly search: ViewSearch
}

export interface SavedViews {
  readonly views: readonly SavedView[]
  /** Name of the view that the list opens with; `null` = all rows. */
  readonly start: string | null
}

export const viewNameMax = 40
/** More would not fit into a menu. */
const viewsMax = 30

const none: SavedViews = { views: [], start: null }

const keyOf = (list: string): StorageKey => `ui-views:${list}`

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The views of one account; those of others are under their own ids. */
export function readViews(storage: SafeStorage, list: string, accountId: number): SavedViews {
  const stored = storage.readJson(keyOf(list))
  const own = isRecord(stored) ? stored[String(accountId)] : undefined
  if (!isRecord(own) || !Array.isArray(own['views'])) return none
  const views = own['views'].flatMap((view: unknown) =>
    isRecord(view) && typeof view['name'] === 'string' && isRecord(view['search']) ? [{ name: view['name'], search: view['search'] }] : [],
  )
  return { views, start: views.find(({ name }) => name === own['start'])?.name ?? null }
}

export function writeViews(storage: SafeStorage, place: { readonly list: string; readonly accountId: number }, views: SavedViews): void {
  const stored = storage.readJson(keyOf(place.list))
  storage.writeJson(keyOf(place.list), { ...(isRecord(stored) ? stored : {}), [String(place.accountId)]: views })
}

/** What a view keeps of an address. */
export function viewOf({ page: _, row: __, ...search }: ViewSearch): ViewSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined))
}

/** Adds a view, or replaces the one of that name. */
export function withView(saved: SavedViews, view: SavedView): SavedViews {
  const isKnown = saved.views.some(({ name }) => name === view.name)
  const views = isKnown ? saved.views.map((known) => (known.name === view.name ? view : known)) : [...saved.views, view]
  return { ...saved, views: views.slice(0, viewsMax) }
}

/** `null` = another view has the name. */
export function withName(saved: SavedViews, from: string, to: string): SavedViews | null {
  if (from === to) return saved
  if (saved.views.some(({ name }) => name === to)) return null
  const views = saved.views.map((view) => (view.name === from ? { ...view, name: to } : view))
  return { views, start: saved.start === from ? to : saved.start }
}

export function withoutView(saved: SavedViews, name: string): SavedViews {
  return { views: saved.views.filter((view) => view.name !== name), start: saved.start === name ? null : saved.start }
}

/** Chooses the view that the list opens with, or none if it is that one already. */
export function withStart(saved: SavedViews, name: string): SavedViews {
  return { ...saved, start: saved.start === name ? null : name }
}
