import { type CreatableTaskKind, type TaskFields, task } from '@sluice/contract'
import { useEffect } from 'react'
import { type UseFormReturn, useWatch } from 'react-hook-form'
import { useRead } from '../../lib/use-call.ts'
import { useSettled } from '../../lib/use-settled.ts'
import { splitParameters } from './parameter-text.ts'
import { type Change, parametersOf, type TaskFormValues, textOfParameters } from './task-form-values.ts'

/** What the gateway takes for songs whose order names no model. */
export const usualSongModel = 'suno_music'

/** How long a name must stay unchanged before it is looked up. */
const typedMs = 300

/** The model of the task parameters; empty = none is named. */
export function modelOf(kind: CreatableTaskKind, model: string): string {
  return model.trim() === '' && kind === 'songs' ? usualSongModel : model.trim()
}

/** What the chosen model takes, for a change of a video if there is one; `null` = nothing is known of it. Parameters that were written as JSON move into their fields. */
export function useModelFields(form: UseFormReturn<TaskFormValues>, change: Change | null): TaskFields | null {
  const [kind, typed] = useWatch({ control: form.control, name: ['kind', 'model'] })
  const model = useSettled(modelOf(kind, typed), typedMs)
  const { data } = useRead(task.fields, {
    input: { kind, model, ...(change !== null && { action: change.action, source: change.id }) },
    isEnabled: model !== '' && model === modelOf(kind, typed),
    freshMs: 60_000,
    isSilent: true,
  })
  const fields = data ?? null
  useEffect(() => {
    const { own, parameters } = form.getValues()
    const all = fields === null ? null : parametersOf(parameters)
    if (fields === null || all === null) return
    const split = splitParameters(all, fields)
    if (Object.keys(split.own).length === 0) return
    for (const [name, text] of Object.entries({ ...own, ...split.own })) form.setValue(`own.${name}`, text)
    form.setValue('parameters', textOfParameters(split.rest))
  }, [form, fields])
  return fields
}
