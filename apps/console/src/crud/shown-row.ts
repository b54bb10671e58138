import { createContext, useContext } from 'react'

/** The stored row that fills the form around; `null` = the form is for a new row. */
export const ShownRow = createContext<unknown>(null)

export function useShownRow(): unknown {
  return useContext(ShownRow)
}
