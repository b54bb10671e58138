import { useState } from 'react'

/** The row that a dialog is about; it is kept while the dialog fades out. */
export function useOpenRow<Row>() {
  const [state, setState] = useState<{ readonly row: Row; readonly isOpen: boolean } | null>(null)
  return {
    row: state?.row ?? null,
    isOpen: state?.isOpen === true,
    open: (row: Row) => setState({ row, isOpen: true }),
    close: () => setState((last) => last && { ...last, isOpen: false }),
  }
}
