import { type TokenRow, task } from '@sluice/contract'
import { useState } from 'react'
import type { FieldPath, UseFormReturn } from 'react-hook-form'
import { CallError, call, callRelay, explain } from '../../lib/api.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useAlone } from '../../lib/use-alone.ts'
import { hasField } from './parameter-text.ts'
import { createCall, describing, idOf, newTaskValues, parametersOf, type TaskFormParts, type TaskFormValues } from './task-form-values.ts'

interface TaskFormSpec {
  readonly tokens: readonly TokenRow[]
  readonly parts: TaskFormParts
  /** Gets the row of the new task (`null` = it could not be found), and the submitted values. */
  readonly onDone: (id: number | null, submitted: TaskFormValues) => Promise<void>
}

interface TaskFormState {
  readonly isBusy: boolean
  readonly send: (values: TaskFormValues) => void
  /** A refusal that is about no field. */
  readonly refusal: string | null
  /** Why the last order failed. */
  readonly failure: Error | null
}

/** Sends a task request to the gateway with the key of the chosen token. */
export function useTaskForm(form: UseFormReturn<TaskFormValues>, { tokens, parts, onDone }: TaskFormSpec): TaskFormState {
  const t = useT()
  const [isBusy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const [failure, setFailure] = useState<Error | null>(null)
  const show = (error: unknown, values: TaskFormValues) => {
    const field = fieldOf(error, values, parts)
    const text = explain(error)?.text ?? ''
    if (field !== null) form.setError(field, { type: 'server', message: text }, { shouldFocus: true })
    setRefusal(field === null && text !== '' ? text : null)
    setFailure(error instanceof Error ? error : null)
  }
  const send = useAlone(async (values: TaskFormValues) => {
    const key = tokens.find(({ id }) => String(id) === values.token)?.key ?? ''
    setBusy(true)
    setRefusal(null)
    setFailure(null)
    try {
      const { path, body } = createCall(values, parts)
      const id = await rowOf(idOf(await callRelay(path, { key, body })))
      showToast('success', t('task.add.done'))
      await onDone(id, values)
    } catch (error) {
      show(error, values)
    } finally {
      setBusy(false)
    }
  })
  return { isBusy, refusal, failure, send: (values) => void send(values) }
}

type TaskFormField = FieldPath<TaskFormValues>

/** The field that a refusal is about: of the form, or one of the further parameters. */
function fieldOf(error: unknown, { parameters }: TaskFormValues, { fields }: TaskFormParts): TaskFormField | null {
  if (!(error instanceof CallError) || error.failure.kind !== 'refused') return null
  const { field } = error.failure
  if (fields?.parameters.some((one) => one.name === field && hasField(one)) === true) return `own.${field}`
  if (field !== '' && Object.hasOwn(parametersOf(parameters) ?? {}, field)) return 'parameters'
  if (field === describing) return 'prompt'
  // Holds: the names of the form's values are its fields.
  return (Object.keys(newTaskValues) as (keyof TaskFormValues)[]).find((name) => name === field) ?? null
}

/** New tasks are at the beginning of the list. */
const newestMax = 20

async function rowOf(publicId: string): Promise<number | null> {
  try {
    const rows = await call(task.self, { size: newestMax })
    return rows.find((row) => row.public_id === publicId)?.id ?? null
  } catch {
    // The order was accepted: the list shows it.
    return null
  }
}
