import type { TaskFields, TaskParameter } from '@sluice/contract'
import { Controller, useFormContext } from 'react-hook-form'
import { useT } from '../../lib/t.ts'
import { type ControlProps, Field } from '../../ui/field.tsx'
import { FormSection } from '../../ui/form.tsx'
import { Input, NumberInput, Textarea } from '../../ui/input.tsx'
import { Select } from '../../ui/select.tsx'
import { hasField } from './parameter-text.ts'
import type { TaskFormValues } from './task-form-values.ts'

/** The parameters that only the chosen model has, each by its name in the API. */
export function ParameterFields({ fields }: { readonly fields: TaskFields | null }) {
  const t = useT()
  const visible = fields?.parameters.filter(hasField) ?? []
  if (visible.length === 0) return null
  return (
    <FormSection title={t('task.add.own')}>
      <div className="grid gap-4 sm:grid-cols-2">
        {visible.map((parameter) => (
          <ParameterField key={`${parameter.name} ${parameter.type}`} parameter={parameter} />
        ))}
      </div>
    </FormSection>
  )
}

interface ParameterProps {
  readonly parameter: TaskParameter
}

function ParameterField({ parameter }: ParameterProps) {
  const { formState } = useFormContext<TaskFormValues>()
  const hint = useHint(parameter)
  return (
    <Field
      label={<span className="font-mono text-sm">{parameter.name}</span>}
      {...(hint !== '' && { hint })}
      error={formState.errors.own?.[parameter.name]?.message}
    >
      {(control) => <ParameterControl parameter={parameter} control={control} />}
    </Field>
  )
}

/** What a field may have; what it has if it stays empty is shown in the field. */
function useHint({ type, least, most }: TaskParameter): string {
  const t = useT()
  if (type === 'picture' || type === 'film') return t('task.add.address')
  if (type === 'pictures') return t('task.add.addresses', { most: most ?? '' })
  if (type !== 'number' || (least === null && most === null)) return ''
  if (least === null) return t('task.add.most', { most: most ?? '' })
  return most === null ? t('task.add.least', { least }) : t('task.add.range', { least, most })
}

function ParameterControl({ parameter, control }: ParameterProps & { readonly control: ControlProps }) {
  const t = useT()
  const { control: form, register } = useFormContext<TaskFormValues>()
  const { name, type, values, usual } = parameter
  const placeholder = usual === null ? '' : String(usual)
  switch (type) {
    case 'flag':
    case 'choice': {
      const labels = new Map([
        ['true', t('action.yes')],
        ['false', t('action.no')],
      ])
      const choices = (type === 'flag' ? [true, false] : values).map((value) => ({
        value: String(value),
        label: labels.get(String(value)) ?? String(value),
      }))
      return (
        <Controller
          name={`own.${name}`}
          control={form}
          render={({ field }) => (
            <Select
              {...control}
              ref={field.ref}
              value={field.value ?? ''}
              options={withUsual(choices, { usual: labels.get(placeholder) ?? placeholder, chosen: field.value ?? '', t })}
              onChange={field.onChange}
            />
          )}
        />
      )
    }
    case 'number':
      return <NumberInput {...control} {...register(`own.${name}`)} inputMode="decimal" placeholder={placeholder} />
    case 'pictures':
      return <Textarea {...control} {...register(`own.${name}`)} rows={2} placeholder="https://" />
    case 'picture':
    case 'film':
      return <Input {...control} {...register(`own.${name}`)} inputMode="url" placeholder="https://" />
    default:
      return <Input {...control} {...register(`own.${name}`)} placeholder={placeholder} />
  }
}

interface Choice {
  readonly value: string
  readonly label: string
}

interface Usual {
  /** The default of a task that names none; empty = unknown. */
  readonly usual: string
  /** It is offered even if the model does not have it, so that it is seen. */
  readonly chosen: string
  readonly t: ReturnType<typeof useT>
}

/** Choices, and before them that nothing is named. */
export function withUsual(choices: readonly Choice[], { usual, chosen, t }: Usual): readonly Choice[] {
  const nothing = { value: '', label: usual === '' ? t('task.add.usual.unknown') : t('task.add.usual', { value: usual }) }
  const isMissing = chosen !== '' && !choices.some(({ value }) => value === chosen)
  return [nothing, ...choices, ...(isMissing ? [{ value: chosen, label: chosen }] : [])]
}
