import { createStore, useStore } from './store.ts'

/** Whether a cell of a table is being edited: its row must stay where it is. */
const isEdited = createStore(false)

export const setCellEdited: (isNow: boolean) => void = isEdited.set

export const useCellEdited = (): boolean => useStore(isEdited)
