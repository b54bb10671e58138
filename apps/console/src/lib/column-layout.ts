/** Which columns a table shows, in which order. */
export interface ColumnLayout {
  readonly order: readonly string[]
  readonly hidden: readonly string[]
}

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [])

/** What was stored, fitted to the columns that exist: unknown ones are ignored, new ones stand where the page put them, one stays. */
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

/** One place up or down; at the ends nothing moves. */
export function moveColumn(layout: ColumnLayout, id: string, by: -1 | 1): ColumnLayout {
  const from = layout.order.indexOf(id)
  const to = from + by
  if (from < 0 || to < 0 || to >= layout.order.length) return layout
  return { ...layout, order: layout.order.toSpliced(from, 1).toSpliced(to, 0, id) }
}

/** Shows or hides one; the last that is shown stays. */
export function toggleColumn(layout: ColumnLayout, id: string): ColumnLayout {
  if (layout.hidden.includes(id)) return { ...layout, hidden: layout.hidden.filter((other) => other !== id) }
  return layout.order.length - layout.hidden.length <= 1 ? layout : { ...layout, hidden: [...layout.hidden, id] }
}
