import { createContext, useContext } from 'react'

/** The stored row that fills the form around; `null` = the form is for a new row. */
export const FormRow = createContext<unknown>(null)

export function useFormRow(): unknown {
  return useContext(FormRow)
}
