/** The columns that a table shows, and their order. */
export interface ColumnLayout {
  readonly order: readonly string[]
  readonly hidden: readonly string[]
}

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [])

/** Fits a stored layout to the existing columns: unknown ones are ignored, new ones get the page's position, one stays shown. */
export function fitLayout(stored: unknown, columns: readonly { readonly id: string; readonly isHiddenAtFirst?: boolean }[]): ColumnLayout {
  const ids = columns.map(({ id }) => id)
  const isStored = typeof stored === 'object' && stored !== null
  const kept = isStored && 'order' in stored ? [...new Set(texts(stored.order))].filter((id) => ids.includes(id)) : []
  const order = ids.reduce<readonly string[]>((all, id, index) => {
    if (all.includes(id)) return all
    const before = all.indexOf(ids[index - 1] ?? '')
    return all.toSpliced(before + 1, 0, id)
  }, kept)
  const first = columns.filter(({ isHiddenAtFirst }) => isHiddenAtFirst).map(({ id }) => id)
  const hidden = isStored && 'hidden' in stored ? texts(stored.hidden).filter((id) => ids.includes(id)) : first
  return { order, hidden: hidden.length >= ids.length ? [] : hidden }
}

/** Moves a column one place up or down; at the ends nothing changes. */
export function moveColumn(layout: ColumnLayout, id: string, by: -1 | 1): ColumnLayout {
  const from = layout.order.indexOf(id)
  const to = from + by
  if (from < 0 || to < 0 || to >= layout.order.length) return layout
  return { ...layout, order: layout.order.toSpliced(from, 1).toSpliced(to, 0, id) }
}

/** Shows or hides a column; the last shown one cannot be hidden. */
export function toggleColumn(layout: ColumnLayout, id: string): ColumnLayout {
  if (layout.hidden.includes(id)) return { ...layout, hidden: layout.hidden.filter((other) => other !== id) }
  return layout.order.length - layout.hidden.length <= 1 ? layout : { ...layout, hidden: [...layout.hidden, id] }
}
