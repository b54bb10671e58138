import { useState } from 'react'
import type { ActAction, Question } from './actions.ts'

/** An open question, or the last one, whose text is kept while the dialog fades out. */
export interface PendingAction extends Question {
  readonly isOpen: boolean
  readonly label: string
  readonly yes: () => void
  readonly no: () => void
}

export interface RowRunner {
  readonly run: (id: number, action: ActAction) => void
  readonly pending: PendingAction | null
}

/** The element of a row or card. */
export function rowElement(id: number): HTMLElement | null {
  return document.querySelector(`[data-row="${id}"]`)
}

/** Runs actions of rows: asks first if necessary, and keeps the focus in the list when the row is removed. */
export function useRowRunner(): RowRunner {
  const [pending, setPending] = useState<PendingAction | null>(null)
  const close = () => setPending((last) => last && { ...last, isOpen: false })
  return {
    pending,
    run: (id, action) => {
      if (action.confirm === undefined) return void perform(id, action)
      const yes = () => {
        close()
        void perform(id, action)
      }
      setPending({ ...action.confirm, isOpen: true, label: action.label, yes, no: close })
    },
  }
}

async function perform(id: number, { act }: ActAction): Promise<void> {
  const row = rowElement(id)
  const focusTarget = row?.nextElementSibling ?? row?.previousElementSibling
  try {
    await act()
  } catch {
    // `act` has reported the error.
    return
  }
  if (row !== null && focusTarget instanceof HTMLElement) inheritFocus(row, focusTarget, framesMax)
}

/** Within this number of frames a deleted row is removed from the page, even on slow machines. */
const framesMax = 60

/** Focus that was lost with its row, or with the question about it, moves to the neighbour; focus elsewhere is kept. */
function inheritFocus(row: Element, focusTarget: HTMLElement, framesLeft: number): void {
  const isLost = document.activeElement === null || document.activeElement === document.body
  if (!row.isConnected && isLost) focusTarget.focus()
  else if (framesLeft > 0) requestAnimationFrame(() => inheritFocus(row, focusTarget, framesLeft - 1))
}
