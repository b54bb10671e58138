import type { TaskFields } from '@sluice/contract'
import { Controller, useFormContext } from 'react-hook-form'
import { useT } from '../../lib/t.ts'
import { Field } from '../../ui/field.tsx'
import { NumberInput } from '../../ui/input.tsx'
import { Select } from '../../ui/select.tsx'
import { SuggestedInput } from '../../ui/suggested-input.tsx'
import { withUsual } from './parameter-fields.tsx'
import { hasLength, hasSize, type TaskFormValues } from './task-form-values.ts'

/** Suggested if nothing is known of the model. */
const usualSizes = ['1280x720', '720x1280', '1792x1024', '1024x1792', '1024x1024', '1920x1080'] as const

interface ShapeProps {
  readonly isVideo: boolean
  /** What the model takes; `null` = not known. */
  readonly fields: TaskFields | null
}

/** Length and size, if the model lets them be chosen. */
export function ShapeFields({ isVideo, fields }: ShapeProps) {
  const length = isVideo && hasLength(fields)
  if (!length && !hasSize(fields)) return null
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {length ? <LengthField fields={fields} /> : null}
      {hasSize(fields) ? <SizeField fields={fields} /> : null}
    </div>
  )
}

function LengthField({ fields }: Pick<ShapeProps, 'fields'>) {
  const t = useT()
  const { control: form, register, formState } = useFormContext<TaskFormValues>()
  const usual = fields?.usual_seconds ?? null
  const range = fields?.seconds_range ?? null
  const choices = (fields?.seconds ?? []).map((value) => ({ value: String(value), label: String(value) }))
  return (
    <Field
      label={t('task.add.seconds')}
      hint={range === null ? t('task.add.seconds.hint') : t('task.add.range', range)}
      error={formState.errors.seconds?.message}
    >
      {(control) =>
        choices.length === 0 ? (
          <NumberInput {...control} {...register('seconds')} placeholder={usual === null ? '' : String(usual)} />
        ) : (
          <Controller
            name="seconds"
            control={form}
            render={({ field }) => (
              <Select
                {...control}
                ref={field.ref}
                value={field.value}
                options={withUsual(choices, { usual: usual === null ? '' : String(usual), chosen: field.value, t })}
                onChange={field.onChange}
              />
            )}
          />
        )
      }
    </Field>
  )
}

/** Models may take more sizes than those that are suggested. */
function SizeField({ fields }: Pick<ShapeProps, 'fields'>) {
  const t = useT()
  const { register, formState } = useFormContext<TaskFormValues>()
  return (
    <Field label={t('task.size')} hint={t('task.add.size.hint')} error={formState.errors.size?.message}>
      {(control) => (
        <SuggestedInput
          {...control}
          {...register('size')}
          suggestions={fields?.sizes ?? usualSizes}
          placeholder={fields?.usual_size ?? ''}
        />
      )}
    </Field>
  )
}
