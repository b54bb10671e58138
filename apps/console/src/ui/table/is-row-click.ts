/** What can be pressed or edited in a row. */
const pressable =
  'a, button, input, select, textarea, label, summary, [role=button], [role=checkbox], [role=combobox], [role=switch], [contenteditable=true]'

/** Whether a click is on the row itself: on nothing that can be pressed, in no popup of the row, and not the end of a selected text. */
export function isRowClick({ target, currentTarget }: { readonly target: EventTarget; readonly currentTarget: Element }): boolean {
  // React passes on clicks in popups, which stand elsewhere in the document.
  if (!(target instanceof Element) || !currentTarget.contains(target)) return false
  return target.closest(pressable) === null && getSelection()?.isCollapsed !== false
}
