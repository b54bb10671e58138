import { type SyntheticEvent, useState } from 'react'
import type { FieldValues, UseFormReturn } from 'react-hook-form'
import { changedOf, isSecretField } from './draft.ts'

interface SavedValues<Values> {
  /** What the form held when it was sent. */
  readonly submitted: Values
  /** What fills the form from now on. */
  readonly stored: Values
}

type SavedForm<Values extends FieldValues, Input> = Pick<UseFormReturn<Values, unknown, Input>, 'getValues' | 'reset' | 'setValue'>

/**
 * Takes what is stored as the form's start. Fields that were changed since they were sent keep what was typed, also while it is typed.
 * @returns whether the server has everything that the form shows
 */
export function takeSaved<Values extends FieldValues, Input>(
  form: SavedForm<Values, Input>,
  { submitted, stored }: SavedValues<Values>,
): boolean {
  const typed = changedOf(form.getValues(), submitted)
  const fresh = Object.entries(stored).filter(([name]) => !(name in typed))
  form.reset(stored, { keepValues: true })
  // Holds: the names come from the form's own values.
  for (const [name, value] of fresh) form.setValue(name as never, value as never, { shouldDirty: true })
  return Object.keys(changedOf(form.getValues(), stored)).length === 0
}

/**
 * What a read finds out after a save whose response was lost: everything is stored as it was typed; some of it is not; or nobody can see it,
 * such as what is in fields that the server never shows.
 */
export type LostOutcome = 'stored' | 'differs' | 'unseen'

/** Takes what is stored after a save whose response was lost, and compares it with what the form shows. */
export function takeLost<Values extends FieldValues, Input>(form: SavedForm<Values, Input>, saved: SavedValues<Values>): LostOutcome {
  if (takeSaved(form, saved)) return 'stored'
  return Object.keys(changedOf(form.getValues(), saved.stored)).every(isSecretField) ? 'unseen' : 'differs'
}

/** Handles a form's submit event: gives the checked input and the values that it was made of, which may change while they are checked. */
export function submitter<Values extends FieldValues, Input>(
  { getValues, handleSubmit }: Pick<UseFormReturn<Values, unknown, Input>, 'getValues' | 'handleSubmit'>,
  send: (input: Input, values: Values) => void,
): (event: SyntheticEvent) => void {
  return (event) => {
    const values = structuredClone(getValues())
    void handleSubmit((input) => send(input, values))(event)
  }
}

/** What a form held when an input was made of it. */
export function useSubmitted<Values>(): Map<unknown, Values> {
  const [submitted] = useState(() => new Map<unknown, Values>())
  return submitted
}
