import { Controller, useFormContext } from 'react-hook-form'
import type { ControlProps } from './field.tsx'
import { ModelPicker } from './model-picker.tsx'

interface PickerControlProps {
  readonly name: string
  readonly control: ControlProps
  /** The label's text. */
  readonly label: string
  /** The listed names. */
  readonly items: readonly string[]
  readonly allowsCustom: boolean
  readonly placeholder?: string
}

/** A field of several names, within a form. */
export function PickerControl({ name, ...picker }: PickerControlProps) {
  const { control } = useFormContext()
  return (
    <Controller
      name={name}
      control={control}
      render={({ field }) => <ModelPicker {...picker} inputRef={field.ref} value={field.value} onChange={field.onChange} />}
    />
  )
}
